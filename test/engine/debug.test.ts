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
  'next into',
  'break steps.mjs:23',
  'break steps.mjs:6 if sum > 1',
  'next breakpoint',
  'variables',
  'print a * 10 + b',
  'print nowhere',
  'print this',
  'frames',
  'back over',
  'variables',
  'next breakpoint',
  'variables',
  '0.1:28.1',
  'v',
  'expand 1',
  'x 7',
  'print (this.balance = 100)',
  'print this.balance',
  'back',
  'next into',
  'print this.balance',
  'out',
  'back breakpoint',
  'back out',
  'unbreak 2',
  'start',
  'log steps.mjs:6 `${a} + ${b}`',
  'break steps.mjs:13 times 2',
  'next breakpoint',
  'v',
  'break',
  'bt',
  'reverse',
  'step',
  'locals',
  'rc',
  '1:1.4',
  '1:99.1',
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
