// The time machine within tasks, at the terminal, word for word: statements forward and back, variables, expressions,
// breakpoints, the stack.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { record, runTurntable } from '../replay/record-and-replay.ts';

vi.setConfig({ testTimeout: 240_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const LINES = [
  'next',
  'next',
  'step',
  'break steps.mjs:23',
  'break steps.mjs:6 if sum > 1',
  'continue',
  'locals',
  'print a * 10 + b',
  'set $total = a + b',
  'print $total',
  'print nowhere',
  'print this',
  'bt',
  'reverse-next',
  'locals',
  'continue',
  'locals',
  'goto 0.1:28.1',
  'info locals',
  'expand 1',
  'expand 7',
  'print (this.balance = 100)',
  'print this.balance',
  'reverse-next',
  'step',
  'print this.balance',
  'finish',
  'reverse-continue',
  'reverse-finish',
  'delete 2',
  'run',
  'log steps.mjs:6 `${a} + ${b}`',
  'break steps.mjs:13 times 2',
  'continue',
  'locals',
  'info breakpoints',
  'where',
  'rn',
  's',
  'info locals',
  'rc',
  'goto 1:1.4',
  'goto 1:99.1',
  'print',
];

test('steps through a program statement by statement, forward and back', async () => {
  record(scratch, [join(import.meta.dirname, 'programs/steps.mjs')]);
  const { stdout, stderr, status } = runTurntable(['debug', scratch], {
    input: LINES.map((line) => `${line}\n`).join(''),
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 1 });
  const [, ...output] = stdout.split('\n');
  await expect(output.join('\n')).toMatchFileSnapshot('golden/debug-steps.txt');
});
