// What a run that differs is put down to: the first, in this order, of what is known to be otherwise than when it was recorded.
import { expect, test } from 'vitest';
import { describeProcess, type Manifest } from '@turntable/recording';
import type { ReplayedWorker } from '../src/replay/outcome.ts';
import { report, type Reported } from '../src/replay/report.ts';
import { version } from '../src/version.ts';

const DIVERGENCE = { ordinal: 1, expected: 'this', actual: 'that' };
/** Nothing is known to be otherwise. */
const DIFFERING = {
  directory: 'recording',
  from: null,
  code: 'recorded',
  outcome: {
    workers: [{ worker: 0, life: 0, stop: 'diverged', events: 0, turns: 0, messages: 0, divergence: DIVERGENCE }],
    cuts: [],
    missing: [],
    uncompared: [],
    milliseconds: 1,
  },
  changed: [],
  manifest: describeProcess({ turntable: version, workers: 0 }),
} satisfies Reported;

type Differing = Reported & { readonly manifest: Manifest };
const ofManifest =
  (patch: Partial<Manifest>) =>
  (reported: Differing): Differing => ({ ...reported, manifest: { ...reported.manifest, ...patch } });
const ofVersions =
  (patch: Partial<Manifest['versions']>) =>
  (reported: Differing): Differing =>
    ofManifest({ versions: { ...reported.manifest.versions, ...patch } })(reported);

/** The likeliest first: how it comes to be known, and what is said of it. */
const CAUSES: readonly (readonly [what: string, known: (reported: Differing) => Differing, cause: RegExp])[] = [
  [
    'a stack that is too small',
    (reported) => {
      const divergence = { ...DIVERGENCE, actual: 'it ends …: RangeError: Maximum call stack size exceeded' };
      const [main] = reported.outcome.workers as [ReplayedWorker];
      return { ...reported, outcome: { ...reported.outcome, workers: [{ ...main, divergence }] } };
    },
    /^its stack is too small here, .*: start turntable by node --stack-size=2000$/,
  ],
  [
    'packages and files that have changed, a package once and not by its files',
    (reported) => ({
      ...reported,
      changed: ['/srv/shop/cart.ts', '/srv/shop/node_modules/greeter/index.js'],
      packages: [
        { name: 'greeter', directory: '/srv/shop/node_modules/greeter', was: '1.2.0', is: '1.3.0' },
        { name: 'gone', directory: '/srv/shop/node_modules/gone', was: '2.0.0', is: undefined },
      ],
    }),
    /^the code has changed: package greeter 1\.2\.0 → 1\.3\.0, package gone 2\.0\.0 is not there, \S*srv\/shop\/cart\.ts, which is gone$/,
  ],
  ['a redacted recording', ofManifest({ redacted: ['cookie'] }), /^the recording is redacted/],
  ['another version of Node', ofVersions({ node: '24.0.0' }), /^it was recorded by Node 24\.0\.0, and this is /],
  [
    'another version of Turntable',
    ofVersions({ turntable: '0.0.1' }),
    /^it was recorded by Turntable 0\.0\.1, and this is /,
  ],
  [
    'what the program has reached that is not recorded',
    ofManifest({ devices: ['PerformanceObserver'] }),
    /^the program reached PerformanceObserver, which is not recorded yet$/,
  ],
  [
    'packages that are kept outside',
    ofManifest({ notes: { settings: { exclude: ['sharp'] } } }),
    /^sharp is kept outside by the setting exclude/,
  ],
];

const causeOf = (reported: Reported): string | undefined => report(reported).divergence?.cause;

test.each(CAUSES.map(([what, , cause], i) => [what, i, cause] as const))(
  '%s, before all that is less likely',
  (_, first, cause) => {
    const known = CAUSES.slice(first).reduce<Differing>((reported, [, more]) => more(reported), DIFFERING);
    expect(causeOf(known)).toMatch(cause);
  },
);

test('where nothing is known to be otherwise, something that nobody has seen', () => {
  expect(causeOf(DIFFERING)).toBe('the program depends on something of outside that is not recorded');
  expect(causeOf({ ...DIFFERING, code: 'current' })).toBe(
    'no file has changed: the program depends on something of outside that is not recorded',
  );
});
