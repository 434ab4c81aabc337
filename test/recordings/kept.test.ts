// With `--keep failed`, a recording remains exactly if the program failed.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FIXTURES, createScratchDirectory, runTurntable } from './processes.ts';

const directory = createScratchDirectory();

/** Runs a program and returns the names in the directory of recordings, and the exit code. */
function runAndList(command: readonly string[], args: readonly string[]): readonly [string[], number | null] {
  const recordings = join(directory, args.join('-'));
  const flags = ['--recordings', recordings, '--keep', 'failed'];
  const { status } = runTurntable(FIXTURES, [...command, ...flags, 'ending.ts', ...args]);
  return [existsSync(recordings) ? readdirSync(recordings) : [], status];
}

test.each([
  ['well', 0],
  ['throws', 1],
  ['exits', 3],
  ['throws at the end', 1],
  ['killed', null],
])('keeps the recording only if the program fails: %s', (ending, status) => {
  const name: unknown = expect.stringMatching(/^\d{8}T\d{6}\.\d{3}Z-\d+$/);
  expect(runAndList(['record'], [ending])).toEqual([status === 0 ? [] : [name], status]);
});

test('keeps a recording with snapshots alone only if the program fails', () => {
  const command = ['run', '--snapshots', 'end'];
  expect(runAndList(command, ['well', 'actors'])).toEqual([[], 0]);
  expect(runAndList(command, ['throws at the end', 'actors'])).toEqual([[expect.any(String)], 1]);
});
