// Parts of snapshots in which something is not what was written, and whose checksums are right all the same: whoever restores one gets an error
// that says so, or has something to go on with; never anything else.
import { expect, test } from 'vitest';
import type { Snapshot } from '@turntable/runtime';
import { checksumOf } from '../../packages/heap/src/checksum.ts';
import { SimulatedCluster } from './oracle/simulated-cluster.ts';
import { randomPlan } from './oracle/plan.ts';
import { pickOne, seededRandom, type RandomInteger } from './oracle/random.ts';
import { SimulatedProgram } from './oracle/simulated-program.ts';

const WORKERS = 3;
/** At least; the rarest of these outcomes comes of one in fifteen. */
const OUTCOMES = ['restored', 'TT_CORRUPT_STATE', 'TT_DAMAGED_SNAPSHOT'];
const CHANGES = Number(process.env['TURNTABLE_CHANGES'] ?? 40);
const rooms = (): SimulatedProgram[] => Array.from({ length: WORKERS }, () => new SimulatedProgram());

async function snapshotOf(random: RandomInteger): Promise<Snapshot> {
  const house = new SimulatedCluster(rooms(), random, { cut() {} });
  house.load(randomPlan(random, WORKERS));
  let taken: Promise<Snapshot> | undefined;
  let steps = 0;
  house.run(() => {
    if (steps++ === 60) taken = house.takeSnapshot();
  });
  house.close();
  // Some programs do next to nothing.
  return taken ?? snapshotOf(random);
}

/** One to three bytes of a part are others. */
function changed({ bytes }: Snapshot['parts'][number], random: RandomInteger): Uint8Array {
  const copy = Uint8Array.from(bytes as Uint8Array);
  const end = copy.length - 4;
  for (let i = 0; i <= random(3); i++) copy[16 + random(end - 16)] = random(256);
  const sum = checksumOf(copy, 8, end);
  for (let i = 0; i < 4; i++) copy[end + i] = (sum >>> (8 * i)) & 0xff;
  return copy;
}

/** What came of it. */
async function restored(snapshot: Snapshot, random: RandomInteger): Promise<string> {
  const house = new SimulatedCluster(rooms(), random, { cut() {} });
  try {
    await house.restore(snapshot, () => undefined);
    return 'restored';
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === undefined) throw error;
    return code;
  } finally {
    house.close();
  }
}

test('a part with changed bytes is refused by its code, or read', { timeout: 60_000 + CHANGES * 1000 }, async () => {
  const random = seededRandom(Number(process.env['TURNTABLE_SEED'] ?? 1));
  const outcomes = new Map<string, number>();
  let snapshot = await snapshotOf(random);
  const isLacking = (): boolean => OUTCOMES.some((each) => !outcomes.has(each));
  for (let i = 0; i < CHANGES || (isLacking() && i < 10 * CHANGES); i++) {
    if (i % 20 === 19) snapshot = await snapshotOf(random);
    const part = pickOne(random, snapshot.parts);
    const other = { ...part, bytes: changed(part, random) };
    const parts = snapshot.parts.map((each) => (each === part ? other : each));
    const outcome = await restored({ ...snapshot, parts }, random);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  }
  expect([...outcomes.keys()]).toEqual(expect.arrayContaining(OUTCOMES));
  if (process.env['TURNTABLE_CHANGES'] !== undefined) console.log(Object.fromEntries(outcomes));
});
