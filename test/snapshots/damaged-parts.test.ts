// Snapshot parts with changed bytes and correct checksums. A restore either reports an error with a known code or
// yields a state that can run; nothing else may happen.
import { expect, test } from 'vitest';
import type { Snapshot } from '@turntable/runtime';
import { checksumOf } from '../../packages/heap/src/checksum.ts';
import { SimulatedCluster } from './oracle/simulated-cluster.ts';
import { randomPlan } from './oracle/plan.ts';
import { pickOne, seededRandom, type RandomInteger } from './oracle/random.ts';
import { SimulatedProgram } from './oracle/simulated-program.ts';

const WORKERS = 3;
/** Outcomes that must all occur; the rarest comes up about once in fifteen changes. */
const OUTCOMES = ['restored', 'TT_CORRUPT_STATE', 'TT_DAMAGED_SNAPSHOT'];
const CHANGES = Number(process.env['TURNTABLE_CHANGES'] ?? 40);
const createPrograms = (): SimulatedProgram[] => Array.from({ length: WORKERS }, () => new SimulatedProgram());

async function snapshotOf(random: RandomInteger): Promise<Snapshot> {
  const cluster = new SimulatedCluster(createPrograms(), random, { cut() {} });
  cluster.load(randomPlan(random, WORKERS));
  let taken: Promise<Snapshot> | undefined;
  let steps = 0;
  cluster.run(() => {
    if (steps++ === 60) taken = cluster.takeSnapshot();
  });
  cluster.close();
  // Some programs end before a snapshot is taken.
  return taken ?? snapshotOf(random);
}

/** Copy of a part with one to three bytes changed and the checksum corrected. */
function changed({ bytes }: Snapshot['parts'][number], random: RandomInteger): Uint8Array {
  const copy = Uint8Array.from(bytes as Uint8Array);
  const end = copy.length - 4;
  for (let i = 0; i <= random(3); i++) copy[16 + random(end - 16)] = random(256);
  const sum = checksumOf(copy, 8, end);
  for (let i = 0; i < 4; i++) copy[end + i] = (sum >>> (8 * i)) & 0xff;
  return copy;
}

/** Restores a snapshot and returns the outcome: `restored` or an error code. */
async function restored(snapshot: Snapshot, random: RandomInteger): Promise<string> {
  const cluster = new SimulatedCluster(createPrograms(), random, { cut() {} });
  try {
    await cluster.restore(snapshot, () => undefined);
    return 'restored';
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined) throw error;
    return code;
  } finally {
    cluster.close();
  }
}

test(
  'a part with changed bytes is refused with a known code or restored',
  { timeout: 60_000 + CHANGES * 1000 },
  async () => {
    const random = seededRandom(Number(process.env['TURNTABLE_SEED'] ?? 1));
    const outcomes = new Map<string, number>();
    let snapshot = await snapshotOf(random);
    const isIncomplete = (): boolean => OUTCOMES.some((each) => !outcomes.has(each));
    for (let i = 0; i < CHANGES || (isIncomplete() && i < 10 * CHANGES); i++) {
      if (i % 20 === 19) snapshot = await snapshotOf(random);
      const part = pickOne(random, snapshot.parts);
      const other = { ...part, bytes: changed(part, random) };
      const parts = snapshot.parts.map((each) => (each === part ? other : each));
      const outcome = await restored({ ...snapshot, parts }, random);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining(OUTCOMES));
    if (process.env['TURNTABLE_CHANGES'] !== undefined) console.log(Object.fromEntries(outcomes));
  },
);
