// Debugging programs whose workers were lost and replaced.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { dyingProgram, recordDyingProgram } from '../replay/dying-programs.ts';
import { record } from '../replay/record-and-replay.ts';
import { entryProblems } from './entry-check.ts';

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));

const directory = mkdtempSync(join(tmpdir(), 'turntable-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const [COUNT, PLACES] = [inSoak(2, 40), inSoak(6, 25)];

it.for(Array.from({ length: COUNT }, (_, i) => dyingProgram(i + 4)))(
  'a recording of dying workers can be entered everywhere: seed $seed',
  { timeout: 600_000 },
  async (program) => {
    const into = join(directory, `seed ${program.seed}`);
    expect(recordDyingProgram(into, program)).toEqual([]);
    expect(await entryProblems(into, PLACES)).toEqual([]);
  },
);

it('a worker is replaced while the main thread is paused', { timeout: 600_000 }, async () => {
  const into = join(directory, 'losing');
  record(into, [join(PROGRAMS, 'losing-busily.ts')]);
  expect(await entryProblems(into, inSoak(12, 60))).toEqual([]);
});
