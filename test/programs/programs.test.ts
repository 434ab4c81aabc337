/*
 * Every program in fixtures/ behaves the same when transformed. A file is a program, and a folder with a main file is a program
 * of several files. The reference for TypeScript that Node cannot run is an `expected.txt`.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { KNOWN_DIFFERENCES } from './differences.ts';
import { findPrograms, FIXTURES, type ProgramRun, runProgram } from './run-program.ts';

const programs = findPrograms('js', 'mjs', 'cjs', 'ts', 'mts', 'cts');
const areas = Map.groupBy(programs, (file) => file.split('/')[0] ?? '');

for (const [area, files] of areas) {
  describe.concurrent(area, () => {
    test.for(files)('%s', { timeout: 120_000 }, async (file, { expect: expectHere }) => {
      const path = join(FIXTURES, file);
      const [native, transformed] = await Promise.all([expected(path), runProgram(path, 'transformed')]);
      if (file in KNOWN_DIFFERENCES)
        expectHere(transformed, `${file} no longer differs: remove it from the list`).not.toEqual(native);
      else expectHere(transformed).toEqual(native);
    });
  });
}

test('has programs for every area', () => {
  expect([...areas.keys()].length).toBeGreaterThan(10);
});

async function expected(path: string): Promise<ProgramRun> {
  if (!/\.[cm]?ts$/.test(path)) return runProgram(path, 'native');
  const expectedFile = /\/main\.[cm]?ts$/.test(path)
    ? join(dirname(path), 'expected.txt')
    : path.replace(/\.[cm]?ts$/, '.expected.txt');
  return { stdout: readFileSync(expectedFile, 'utf8'), code: 0, died: '' };
}
