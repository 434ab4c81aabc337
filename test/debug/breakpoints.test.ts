// Breakpoints that can never stop, conditions that fail, log points, and names of functions, at the terminal.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { record, runTurntable } from '../replay/record-and-replay.ts';

vi.setConfig({ testTimeout: 240_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const LINES = [
  'break nowhere.ts:3',
  'break breakpoint-checks.ts:99',
  'break breakpoint-checks.ts:8',
  'break breakpoint-checks.ts:16 if item ==',
  'break breakpoint-checks.ts:16 if const item = 1',
  'break breakpoint-checks.ts:16 if itme === "tea"',
  'break breakpoint-checks.ts:16 if item.length.x.y',
  'condition 2 (item as string) === "tea" && !order.#paid',
  'condition 2 item ===',
  'info breakpoints',
  'continue',
  'bt',
  'log breakpoint-checks.ts:16 {',
  'log breakpoint-checks.ts:17 { index, order, done: Promise.resolve(index), list: new Set([[item]]) }',
  'delete',
  'break total',
  'continue',
  'bt',
  'break Order.pay',
  'delete 4',
  'continue',
  'bt',
];

test('breakpoints that cannot stop and conditions that fail are reported', async () => {
  record(scratch, [join(import.meta.dirname, 'fixtures/breakpoint-checks.ts')]);
  const { stdout, stderr } = runTurntable(['debug', scratch], { input: LINES.map((line) => `${line}\n`).join('') });
  expect(stderr).toBe('');
  const [, ...output] = stdout.split('\n');
  await expect(output.join('\n')).toMatchFileSnapshot('golden/breakpoint-checks.txt');
});
