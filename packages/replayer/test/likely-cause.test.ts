// Tests the likely cause of a divergence: the first known difference in order of likelihood.
import { expect, test } from 'vitest';
import { describeProcess, type Manifest } from '@turntable/recording';
import type { ReplayedWorker } from '../src/replay/replay-outcome.ts';
import { createReplayReport, type ReportInput } from '../src/replay/replay-report.ts';
import { version } from '../src/version.ts';

const DIVERGENCE = { ordinal: 1, expected: 'this', actual: 'that' };
/** Report input of a divergence without any known difference. */
const DIFFERING = {
  directory: 'recording',
  from: null,
  code: 'recorded',
  outcome: {
    workers: [
      { worker: 0, epoch: 0, stopReason: 'diverged', events: 0, turns: 0, messages: 0, divergence: DIVERGENCE },
    ],
    cuts: [],
    missingThreads: [],
    uncomparedReasons: [],
    milliseconds: 1,
  },
  changedFiles: [],
  condition: { isEnded: true, wasStopped: false, exitSignal: null, missingParts: [], unseenOutput: [] },
  manifest: describeProcess({ turntable: version, workers: 0 }),
} satisfies ReportInput;

type Differing = ReportInput & { readonly manifest: Manifest };
const withManifest =
  (patch: Partial<Manifest>) =>
  (input: Differing): Differing => ({ ...input, manifest: { ...input.manifest, ...patch } });
const withVersions =
  (patch: Partial<Manifest['versions']>) =>
  (input: Differing): Differing =>
    withManifest({ versions: { ...input.manifest.versions, ...patch } })(input);

/** Known differences in order of likelihood, with the expected texts. */
const CAUSES: readonly (readonly [what: string, known: (input: Differing) => Differing, cause: RegExp])[] = [
  [
    'a stack that is too small',
    (input) => {
      const divergence = { ...DIVERGENCE, actual: 'it ends …: RangeError: Maximum call stack size exceeded' };
      const [main] = input.outcome.workers as [ReplayedWorker];
      return { ...input, outcome: { ...input.outcome, workers: [{ ...main, divergence }] } };
    },
    /^the stack is too small: .*; run turntable with node --stack-size=2000$/,
  ],
  [
    'changed packages and files, each package once and without its files',
    (input) => ({
      ...input,
      changedFiles: ['/srv/shop/cart.ts', '/srv/shop/node_modules/greeter/index.js'],
      changedPackages: [
        {
          name: 'greeter',
          directory: '/srv/shop/node_modules/greeter',
          recordedVersion: '1.2.0',
          currentVersion: '1.3.0',
        },
        { name: 'gone', directory: '/srv/shop/node_modules/gone', recordedVersion: '2.0.0', currentVersion: undefined },
      ],
    }),
    /^the code has changed: package greeter 1\.2\.0 → 1\.3\.0, package gone 2\.0\.0 is not installed, \S*srv\/shop\/cart\.ts \(deleted\)$/,
  ],
  ['a redacted recording', withManifest({ redacted: ['cookie'] }), /^the recording is redacted/],
  ['another version of Node', withVersions({ node: '24.0.0' }), /^it was recorded by Node 24\.0\.0, and this is /],
  [
    'another version of Turntable',
    withVersions({ turntable: '0.0.1' }),
    /^it was recorded by Turntable 0\.0\.1, and this is /,
  ],
  [
    'devices that are not recorded',
    withManifest({ devices: ['PerformanceObserver'] }),
    /^the program used PerformanceObserver, whose inputs are not recorded yet$/,
  ],
  [
    'packages excluded by a setting',
    withManifest({ notes: { settings: { exclude: ['sharp'] } } }),
    /^sharp, which the setting exclude keeps native,/,
  ],
];

const likelyCause = (input: ReportInput): string | undefined => createReplayReport(input).divergence?.cause;

test.each(CAUSES.map(([name, , cause], i) => [name, i, cause] as const))(
  '%s: takes precedence over less likely causes',
  (_, firstCause, cause) => {
    const report = CAUSES.slice(firstCause).reduce<Differing>((input, [, addCause]) => addCause(input), DIFFERING);
    expect(likelyCause(report)).toMatch(cause);
  },
);

test('without known differences, the cause is an unobserved one', () => {
  expect(likelyCause(DIFFERING)).toBe('the program has an input that is not recorded');
  expect(likelyCause({ ...DIFFERING, code: 'current' })).toBe(
    'no file has changed: the program has an input that is not recorded',
  );
});
