// npm run soak:savina -- [--minutes N] [--seed S]: programs of the suite chosen at random, beside each other at a place chosen at random, with snapshots at
// random moments; every one is gone on from, and so is the last one that is taken after that. A failure prints its seed and keeps the recordings.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PLACES, type Place } from '../../../bench/savina/options.ts';
import { Random } from '../../../bench/savina/random.ts';
import { PARTS } from './parts.ts';
import { goOn, perform, wrong, type Performed } from './rehearse.ts';

const MOST_PROGRAMS = 5;
const MOST_MOMENTS = 6;
const TURNS = 60_000;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
});
const all = Object.keys(PARTS);
const until = Date.now() + Number(values.minutes) * 60_000;

function chosen<T>(random: Random, from: readonly T[]): T {
  return from[random.below(from.length)] as T;
}

async function check(what: string, performed: Performed, ids: readonly string[]): Promise<Performed> {
  const found = await wrong(performed, ids);
  if (found.length > 0) throw new Error(`${what}: ${found.join('; ')}`);
  return performed;
}

/** How many snapshots were gone on from. */
async function once(seed: number): Promise<number> {
  const random = new Random(seed);
  // The first numbers of seeds that lie beside each other do so, too.
  random.spend(20);
  const place: Place = chosen(random, PLACES);
  const ids = [...new Set(Array.from({ length: 1 + random.below(MOST_PROGRAMS) }, () => chosen(random, all)))];
  const moments = Array.from({ length: random.below(MOST_MOMENTS + 1) }, () => random.below(TURNS));
  const directory = mkdtempSync(join(tmpdir(), 'turntable-soak-'));
  let restored = 0;
  const goOnFrom = async (snapshot: string): Promise<Performed> => {
    restored += 1;
    return check(snapshot, await goOn(snapshot, join(directory, String(restored))), ids);
  };
  try {
    const rehearsal = { place, ids, moments, recordings: join(directory, 'first') };
    const { snapshots } = await check('the run itself', await perform(rehearsal), ids);
    for (const snapshot of snapshots) {
      const last = (await goOnFrom(snapshot)).snapshots.at(-1);
      if (last !== undefined) await goOnFrom(last);
    }
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`--seed ${seed}, on ${place}, ${ids.join(' + ')}, in ${directory}: ${message}`, { cause: error });
  }
  rmSync(directory, { recursive: true });
  return restored;
}

let seed = Number(values.seed ?? Date.now() % 1_000_000);
let snapshots = 0;
let failures = 0;
do {
  try {
    snapshots += await once(seed);
  } catch (error) {
    failures += 1;
    console.error(`FAILED ${(error as Error).message}`);
  }
  seed += 1;
} while (Date.now() < until && values.seed === undefined);
console.log(`${snapshots} snapshots were gone on from, ${failures} runs failed`);
if (failures > 0) process.exitCode = 1;
