// npm run soak:savina -- [--minutes N] [--seed S]: random programs side by side in a random setup, with snapshots at
// random moments. Resumes from every snapshot, and from the last snapshot of each resumed run. A failure prints its
// seed and keeps the recordings.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { WORKER_SETUPS, type WorkerSetup } from '../../../bench/savina/options.ts';
import { Random } from '../../../bench/savina/random.ts';
import { CASES } from './savina-cases.ts';
import { resumeFrom, runWithSnapshots, wrongResults, type SnapshotRun } from './snapshot-run.ts';

const MAX_PROGRAMS = 5;
const MAX_SNAPSHOTS = 6;
const MAX_TURN = 60_000;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
});
const caseIds = Object.keys(CASES);
const deadline = Date.now() + Number(values.minutes) * 60_000;

function choose<T>(random: Random, from: readonly T[]): T {
  return from[random.below(from.length)] as T;
}

async function check(label: string, run: SnapshotRun, ids: readonly string[]): Promise<SnapshotRun> {
  const found = await wrongResults(run, ids);
  if (found.length > 0) throw new Error(`${label}: ${found.join('; ')}`);
  return run;
}

/** Number of snapshots resumed from. */
async function runOnce(seed: number): Promise<number> {
  const random = new Random(seed);
  // Neighbouring seeds begin with similar numbers.
  random.spend(20);
  const workerSetup: WorkerSetup = choose(random, WORKER_SETUPS);
  const ids = [...new Set(Array.from({ length: 1 + random.below(MAX_PROGRAMS) }, () => choose(random, caseIds)))];
  const snapshotTurns = Array.from({ length: random.below(MAX_SNAPSHOTS + 1) }, () => random.below(MAX_TURN));
  const directory = mkdtempSync(join(tmpdir(), 'turntable-soak-'));
  let restored = 0;
  const resume = async (snapshot: string): Promise<SnapshotRun> => {
    restored += 1;
    return check(snapshot, await resumeFrom(snapshot, join(directory, String(restored))), ids);
  };
  try {
    const options = { workerSetup, ids, snapshotTurns, recordings: join(directory, 'first') };
    const { snapshots } = await check('the run itself', await runWithSnapshots(options), ids);
    for (const snapshot of snapshots) {
      const last = (await resume(snapshot)).snapshots.at(-1);
      if (last !== undefined) await resume(last);
    }
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`--seed ${seed}, on ${workerSetup}, ${ids.join(' + ')}, in ${directory}: ${message}`, {
      cause: error,
    });
  }
  rmSync(directory, { recursive: true });
  return restored;
}

let seed = Number(values.seed ?? Date.now() % 1_000_000);
let snapshots = 0;
let failures = 0;
do {
  try {
    snapshots += await runOnce(seed);
  } catch (error) {
    failures += 1;
    console.error(`FAILED ${(error as Error).message}`);
  }
  seed += 1;
} while (Date.now() < deadline && values.seed === undefined);
console.log(`${snapshots} snapshots were resumed, ${failures} runs failed`);
if (failures > 0) process.exitCode = 1;
