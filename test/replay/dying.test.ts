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

const COUNT = inSoak(4, 300);
const REPLAYS = inSoak(2, 5);

it(
  `${COUNT} programs with dying workers, each replayed ${REPLAYS} times`,
  { timeout: inSoak(300_000, 7_200_000) },
  () => {
    for (let seed = 1; seed <= COUNT; seed++) {
      const program = dyingProgram(seed);
      const into = join(directory, `seed ${seed}`);
      expect(checkDyingProgram(into, program, REPLAYS), JSON.stringify(program)).toEqual([]);
      rmSync(into, { recursive: true });
    }
  },
);
