// Programs whose workers are lost in random ways replay with one verdict, `same`, or `truncated` if their process was
// killed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { checkDyingProgram, dyingProgram } from './dying-programs.ts';

const directory = mkdtempSync(join(tmpdir(), 'turntable-dying-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** All ends, with and without delays and snapshots, one to three workers, and deaths by lack of memory (10 and 12). */
const SEEDS = [1, 2, 7, 8, 10, 12, 13];
const SOAK_COUNT = 500;
const REPLAYS = inSoak(1, 5);
const COUNT = inSoak(SEEDS.length, SOAK_COUNT);

it.for(Array.from({ length: COUNT }, (_, i) => dyingProgram(COUNT === SOAK_COUNT ? i + 1 : (SEEDS[i] as number))))(
  'a program with dying workers replays as recorded: seed $seed, end: $end',
  { timeout: REPLAYS * 120_000 },
  (program) => {
    const into = join(directory, `seed ${program.seed}`);
    expect(checkDyingProgram(into, program, REPLAYS), JSON.stringify(program)).toEqual([]);
    rmSync(into, { recursive: true });
  },
);
