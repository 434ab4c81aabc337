// The exit code of a replay counts only where the program decides it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runTurntable } from './record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

function recordProgram(name: string, text: string): { readonly recordings: string; readonly status: number | null } {
  writeFileSync(join(directory, `${name}.mjs`), text);
  const recordings = join(directory, name);
  const { status } = runTurntable(['record', '--recordings', recordings, `${name}.mjs`], { cwd: directory });
  return { recordings, status };
}

function verdictOf(recordings: string, ...flags: readonly string[]): string {
  const args = ['replay', recordings, '--console', 'mute', '--json', ...flags];
  return (JSON.parse(runTurntable(args, { cwd: directory }).stdout) as { verdict: string }).verdict;
}

test('a failed test of node:test replays as the same', () => {
  const text = "import { test } from 'node:test';\ntest('fails', () => { throw new Error('wrong'); });\n";
  const { recordings, status } = recordProgram('failing', text);
  expect({ status, verdict: verdictOf(recordings) }).toEqual({ status: 1, verdict: 'same' });
});

test('a replay until an event at which a top-level await is pending is the same', () => {
  const text = "import { setTimeout } from 'node:timers/promises';\nawait setTimeout(1);\nawait setTimeout(1);\n";
  const { recordings } = recordProgram('awaiting', text);
  expect(verdictOf(recordings, '--until', 'event=3')).toBe('same');
});
