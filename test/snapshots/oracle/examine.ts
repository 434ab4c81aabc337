// One random program, of which snapshots are taken at random moments of a random schedule. Each is restored, looked at before anything runs, and
// run to its end under another schedule, in which further ones may be taken. All of it comes of the seed.
import type { Snapshot } from '@turntable/runtime';
import { hashOf, outcomeOf, wrongNow } from './checks.ts';
import { House } from './house.ts';
import { randomPlan } from './plan.ts';
import { PIECE } from '../../../packages/runtime/src/snapshot/worker-snapshot.ts';
import { randomOf } from './random.ts';
import { Room } from './room.ts';

const WORKERS = 3;

export interface Sums {
  snapshots: number;
  /** Of which so many were taken of what had been restored. */
  again: number;
  bytes: number;
  /** Messages that were under way. */
  underWay: number;
  turns: number;
}

export interface Examined extends Readonly<Sums> {
  readonly wrong: readonly string[];
}

/** Snapshots of one program, with the hashes of all workers at the cut. */
interface Taken {
  readonly snapshots: readonly Snapshot[];
  readonly hashes: ReadonlyMap<string, string>;
}

/** Rooms are dear, and can be used again after a life that has come to its end. */
let rooms: Room[] | undefined;

export async function examine(seed: number, most = 8): Promise<Examined> {
  const sums = { snapshots: 0, again: 0, bytes: 0, underWay: 0, turns: 0 };
  try {
    const wrong = await wrongWith(seed, most, sums);
    return { ...sums, wrong };
  } catch (error) {
    return { ...sums, wrong: [error instanceof Error ? String(error.stack) : String(error)] };
  }
}

async function wrongWith(seed: number, most: number, sums: Sums): Promise<readonly string[]> {
  const random = randomOf(seed);
  const plan = randomPlan(random, WORKERS);
  const wrong: string[] = [];
  const say = (what: string, lines: readonly string[]): void =>
    void wrong.push(...lines.map((line) => `${what}: ${line}`));

  const live = async (
    what: string,
    begin: (house: House) => Promise<() => void>,
    expected: string | undefined,
    count: number,
  ): Promise<{ taken: Taken; outcome: string }> => {
    const here = (rooms ??= Array.from({ length: WORKERS }, () => new Room()));
    rooms = undefined;
    const hashes = new Map<string, string>();
    const house = new House(here, random, {
      cut: (seat, phase) => void hashes.set(`${phase} ${seat.scheduler.index}`, hashOf(seat)),
    });
    try {
      const goOn = await begin(house);
      goOn();
      const promised: Promise<Snapshot>[] = [];
      const often = 1 + random(count === 1 ? 100 : 40);
      house.run(() => {
        if (promised.length < count && random(often) === 0) promised.push(house.take());
      });
      const { outcome, wrong: found } = outcomeOf(house);
      say(what, found);
      say(what, wrongNow(house, plan));
      if (expected !== undefined && outcome !== expected)
        say(what, [`it has come to\n${outcome}\nand not to\n${expected}`]);
      const snapshots = await settled(promised, (line) => say(what, [line]));
      sums.turns += house.seats.reduce((sum, { scheduler }) => sum + scheduler.turns, 0);
      if (wrong.length === 0) rooms = here;
      return { taken: { snapshots, hashes }, outcome };
    } finally {
      house.end();
    }
  };

  const original = await live('the program', async (house) => () => house.load(plan), undefined, most);
  const restore = async (what: string, { snapshots, hashes }: Taken, depth: number): Promise<void> => {
    for (const snapshot of snapshots) {
      if (wrong.length > 0) return;
      const name = `${what}, snapshot ${snapshot.phase}`;
      sums.snapshots++;
      if (depth > 0) sums.again++;
      sums.bytes += snapshot.parts.reduce((sum, { size }) => sum + size, 0);
      const { taken } = await live(
        name,
        async (house) => {
          const goOn = await house.restore(snapshot, (seat) => {
            const { index } = seat.scheduler;
            sums.underWay += (seat.room.roots as { piece: number }[]).filter(
              ({ piece }) => piece === PIECE.underWay,
            ).length;
            if (hashOf(seat) !== hashes.get(`${snapshot.phase} ${index}`))
              say(`${name}, restored`, [`worker ${index} is not what it was at the cut`]);
          });
          say(`${name}, restored`, wrongNow(house, plan));
          return goOn;
        },
        original.outcome,
        depth === 0 && random(8) === 0 ? 1 : 0,
      );
      await restore(name, taken, depth + 1);
    }
  };
  await restore('the program', original.taken, 0);
  return wrong;
}

/** All that have been asked for must have come to an end. */
async function settled(
  promised: readonly Promise<Snapshot>[],
  complain: (line: string) => void,
): Promise<readonly Snapshot[]> {
  const found = new Map<number, Snapshot>();
  const never = Promise.resolve()
    .then(() => Promise.resolve())
    .then(() => Promise.resolve());
  for (const promise of promised) {
    try {
      const snapshot = await Promise.race([promise, never.then(() => undefined)]);
      if (snapshot === undefined) complain('a snapshot has not come to an end');
      else found.set(snapshot.phase, snapshot);
    } catch (error) {
      complain(error instanceof Error ? String(error.stack) : String(error));
    }
  }
  return [...found.values()];
}
