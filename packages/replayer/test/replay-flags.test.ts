// Tests the Node flags, variables and resource limits of a replaying process.
import { expect, it } from 'vitest';
import { harmlessFlags, replayFlags } from '../src/replay/replay-flags.ts';
import { replayResourceLimits } from '../src/replay/resource-limits.ts';

const HOOKS = ['--import', 'file:///here/register.js'];

it.for<readonly [string, readonly string[], readonly string[], readonly string[]]>([
  ['nothing but the hooks', [], [], HOOKS],
  [
    'hooks where the others stood',
    ['--import', 'a', '--import', '/x/register.ts', '--import=b'],
    [],
    ['--import', 'a', ...HOOKS, '--import=b'],
  ],
  [
    'flags that are there already once',
    ['--no-warnings', '--stack-size=2000'],
    ['--no-warnings'],
    ['--no-warnings', '--stack-size=2000', ...HOOKS],
  ],
  [
    'other conditions, and our packages as they are here',
    ['-C', 'turntable-source', '-C', 'development', '--conditions=turntable-source'],
    ['-C', 'turntable-bundled'],
    ['-C', 'turntable-bundled', '-C', 'development', ...HOOKS],
  ],
  [
    'a preload with its value',
    ['-r', './before.cjs'],
    ['-r', './other.cjs'],
    ['-r', './other.cjs', '-r', './before.cjs', ...HOOKS],
  ],
  [
    'no files of environment variables',
    ['--env-file', 'local.env', '--env-file=.env', '--env-file-if-exists', 'more.env', '--no-warnings'],
    [],
    ['--no-warnings', ...HOOKS],
  ],
  [
    'at least the default memory',
    ['--max-old-space-size=512', '--max_old_space_size=8192', '--max-heap-size=1000', '--max-semi-space-size=64'],
    [],
    ['--max_old_space_size=8192', '--max-semi-space-size=64', ...HOOKS],
  ],
])('has %s', ([, recordedFlags, currentFlags, replayed]) => {
  expect(replayFlags(recordedFlags, currentFlags, HOOKS, 4096)).toEqual(replayed);
});

it('keeps the resource limits of workers, and raises a heap limit below the default', () => {
  expect(replayResourceLimits(undefined, false, 4096)).toEqual({});
  const otherLimits = { stackSizeMb: 8, codeRangeSizeMb: 16 };
  const limits = { ...otherLimits, maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 32 };
  // A worker that ran out of memory may run out of it again: soon, and not at the limit of the machine.
  expect(replayResourceLimits(limits, false, 4096)).toEqual({ ...otherLimits, maxOldGenerationSizeMb: 288 });
  const large = { ...limits, maxOldGenerationSizeMb: 1000 };
  expect(replayResourceLimits(large, false, 4096)).toEqual({ ...otherLimits, maxOldGenerationSizeMb: 2000 });
  expect(replayResourceLimits({ ...large, maxOldGenerationSizeMb: 3000 }, false, 4096)).toEqual(otherLimits);
  expect(replayResourceLimits({ ...limits, maxOldGenerationSizeMb: 8192 }, false, 4096)).toEqual({
    ...otherLimits,
    maxOldGenerationSizeMb: 8192,
  });
  // Code with probes needs more stack.
  expect(replayResourceLimits(limits, true, 4096)).toEqual({ ...otherLimits, stackSizeMb: 12 });
  expect(replayResourceLimits(undefined, true, 4096)).toEqual({ stackSizeMb: 6 });
});

it('a restricted replay keeps recorded flags that grant nothing', () => {
  const flags = ['--stack-size=2000', '--conditions=development', '--no-warnings'];
  const harmful = [
    '--allow-child-process',
    '--cpu-prof',
    '--report-directory=/x',
    '--import',
    'data:text/javascript,0',
  ];
  expect(harmlessFlags(['--inspect=9229', ...flags, ...harmful])).toEqual(flags);
});
