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

const COUNT = inSoak(15, 500);
const REPLAYS = inSoak(1, 5);

it.for(Array.from({ length: COUNT }, (_, i) => dyingProgram(i + 1)))(
  'a program with dying workers replays as recorded: seed $seed, end: $end',
  { timeout: REPLAYS * 120_000 },
  (program) => {
    const into = join(directory, `seed ${program.seed}`);
    expect(checkDyingProgram(into, program, REPLAYS), JSON.stringify(program)).toEqual([]);
    rmSync(into, { recursive: true });
  },
);
