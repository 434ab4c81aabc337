// npm run soak:dying: programs with dying workers, each recorded once and replayed five times. Every tenth recording is
// also entered as a debugger does. A failure prints its seed and keeps the recording.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { entryProblems } from '../engine/entry-check.ts';
import { checkDyingProgram, dyingProgram } from './dying-programs.ts';

const USAGE = `Usage: npm run soak:dying -- [--seed 1] [--count 500] [--replays 5] [--enter 10]

  --seed N     first seed; a failure prints its own (1)
  --count N    number of programs (500)
  --replays N  replays of each program (5)
  --enter N    enter every Nth recording in 25 places (10); 0 enters none`;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '500' },
    replays: { type: 'string', default: '5' },
    enter: { type: 'string', default: '10' },
    help: { type: 'boolean', default: false },
  },
});

/** Number of programs between two lines of progress. */
const PROGRESS_INTERVAL = 10;

const PLACES = 25;

async function soak(): Promise<void> {
  const numbers = [values.seed, values.count, values.replays, values.enter].map(Number);
  const [first, count, replays, enterInterval] = numbers as [number, number, number, number];
  let failed = 0;
  for (let seed = first; seed < first + count; seed++) {
    const done = seed - first;
    if (done > 0 && done % PROGRESS_INTERVAL === 0) console.error(`${done} of ${count} programs; ${failed} failed`);
    const recordings = mkdtempSync(join(tmpdir(), 'turntable-dying-'));
    const program = dyingProgram(seed);
    const label = `seed ${seed}: ${JSON.stringify(program)}, in ${recordings}`;
    try {
      const problems = checkDyingProgram(recordings, program, replays);
      if (problems.length === 0 && enterInterval > 0 && done % enterInterval === 0)
        problems.push(...(await entryProblems(recordings, PLACES)));
      if (problems.length === 0) {
        rmSync(recordings, { recursive: true });
        continue;
      }
      console.error(`FAILED ${label}:\n  ${problems.map((each) => each.slice(0, 2000)).join('\n  ')}`);
    } catch (error) {
      console.error(`FAILED ${label}: ${(error as Error).message.slice(0, 2000)}`);
    }
    failed++;
  }
  console.log(`${count} programs, each replayed ${replays} times; ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}

if (values.help) console.log(USAGE);
else await soak();
