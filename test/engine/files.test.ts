// Module-level variables of all kinds of files, also between statements; and the output of workers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { record, runTurntable } from '../replay/record-and-replay.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-files-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** The output of a debugger session, with times replaced. */
function outputOf(name: string, lines: readonly string[], expected = 0): string {
  const into = join(scratch, name);
  record(into, [join(import.meta.dirname, 'programs', name)]);
  const { stdout, stderr, status } = runTurntable(['debug', into], { input: `${lines.join('\n')}\n` });
  expect({ stderr, status }).toEqual({ stderr: '', status: expected });
  const [, ...rest] = stdout.split('\n');
  return rest.join('\n').replaceAll(/\+\d+\.\d{3}s/g, '+0.000s');
}

const LINES = [
  'goto 0.3',
  'print total + last',
  'locals',
  ...['total', 'last', 'purse', 'purse.#coins'].map((name) => `peek last-write ${name}`),
  'goto 0.3:1.1',
  'print total',
  ...['total', 'last', 'purse', 'purse.#coins'].map((name) => `peek last-write ${name}`),
  'goto 0.2',
  'print total',
  'peek last-write total',
  'peek last-write purse.#coins',
  'changes total',
  'changes nothing',
  'step 2',
  'locals',
  'changes coins',
  'goto 0.2',
  'diff 0.2 0.3',
  'diff start end',
  'diff 0.2 unknown',
  'peek',
  'goto 0.9',
  'goto 0.3',
  'print (purse as Purse).#coins',
  'print purse.constructor.#most',
  'print purse.#doubled()',
  'print #coins in purse',
  'print purse.#coins = 8',
  'print purse.#doubled()',
  'reverse-step',
  'print purse?.#coins!',
  'goto end',
  'print last',
];

test.each(['purse.cjs', 'purse.mjs'])(
  'shows the variables of %s between and during its turns, and finds their last writes',
  async (name) => {
    await expect(outputOf(name, LINES, 1)).toMatchFileSnapshot(`golden/${name.replace('.', '-')}.txt`);
  },
);

test('output of an actor on another worker is shown in its turn, once', async () => {
  const printed = [
    'run',
    'events stdout',
    'break stdout "told *"',
    'continue',
    'continue',
    'continue',
    'locals',
    'reverse-continue',
    'continue',
    'continue',
    'reverse-continue',
    'forward output',
    'find told',
  ];
  await expect(outputOf('telling.ts', printed)).toMatchFileSnapshot('golden/telling.txt');
});
