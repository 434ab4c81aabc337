// Variables that come from files are in the recording: a replay has them although the files have changed or are gone.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { runTurntable } from './record-and-replay.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));
const PROGRAM = `
process.env.OWN = 'of the program';
process.loadEnvFile('late.env');
try {
  process.loadEnvFile('missing.env');
} catch (error) {
  console.log(error.code, error.message);
}
console.log(process.env.EARLY, process.env.LATE, process.env.OWN, Object.keys(process.env).filter((name) => /^(?:EARLY|LATE|OWN)$/.test(name)).join());
`;
const OUTPUT = "ENOENT ENOENT: no such file or directory, open 'missing.env'\none two of the program EARLY,OWN,LATE\n";

test.each(['changed', 'deleted', 'created'])('of files that are %s after the run', (change) => {
  const recordings = join(directory, change);
  const file = (name: string): string => join(directory, name);
  writeFileSync(file('early.env'), 'EARLY=one\n');
  writeFileSync(file('late.env'), 'LATE=two\nOWN=of the file\n');
  writeFileSync(file('program.mjs'), PROGRAM);
  rmSync(file('missing.env'), { force: true });
  const options = { cwd: directory };
  const recorded = runTurntable(['record', '--recordings', recordings, '--env-file=early.env', 'program.mjs'], options);
  expect(recorded).toMatchObject({ stdout: OUTPUT, stderr: '', status: 0 });
  for (const name of ['early.env', 'late.env'])
    if (change === 'deleted') rmSync(file(name));
    else if (change === 'changed') writeFileSync(file(name), 'EARLY=other\nLATE=other\n');
  if (change === 'created') writeFileSync(file('missing.env'), 'LATE=three\nNEW=four\n');
  expect(runTurntable(['replay', recordings], options)).toMatchObject({ stdout: OUTPUT, status: 0 });
});
