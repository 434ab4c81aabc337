// What Node is told again when a recorded run is had again.
import { expect, it } from 'vitest';
import { flagsAgain } from '../src/replay/flags-again.ts';

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
])('has %s', ([, recorded, here, again]) => {
  expect(flagsAgain(recorded, here, HOOKS)).toEqual(again);
});
