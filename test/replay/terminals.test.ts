// What a program sees of the terminal it was recorded in, it also sees in a replay without one, and the reverse.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { hasTerminals, TerminalRun } from '../recordings/terminal.ts';
import { FIXTURES, record, replay, runTurntable } from './record-and-replay.ts';

vi.setConfig({ testTimeout: 120_000 });

const PROGRAM = join(FIXTURES, 'coloured.ts');
const scratch = mkdtempSync(join(tmpdir(), 'turntable-terminals-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function runInTerminal(...args: string[]): Promise<string> {
  const { output, status } = await new TerminalRun(scratch, args).type('');
  expect([status, output]).toEqual([0, output]);
  return output;
}

test.runIf(hasTerminals)('a program that was recorded in a terminal replays without one', async () => {
  const recordings = join(scratch, 'terminal');
  const output = await runInTerminal('record', '--recordings', recordings, PROGRAM);
  expect(output).toMatch(/^true \d+ /);
  for (const args of [[], ['--from', '1']]) {
    const replayed = replay(recordings, args);
    expect(replayed.report).toMatchObject({ verdict: 'same', cuts: { different: [] } });
    expect(output.endsWith(replayed.output)).toBe(true);
  }
  expect(await runInTerminal('replay', recordings, '--no-redact')).toContain(output);
  expect(runTurntable(['tasks', recordings])).toMatchObject({ status: 0 });
});

test.runIf(hasTerminals)('a program that was recorded without a terminal replays in one', async () => {
  const recordings = join(scratch, 'pipe');
  const { stdout } = record(recordings, [PROGRAM]);
  expect(stdout).toMatch(/^undefined undefined undefined/);
  for (const flag of ['--no-redact', '--strict'])
    expect(await runInTerminal('replay', recordings, flag)).toContain(stdout);
});
