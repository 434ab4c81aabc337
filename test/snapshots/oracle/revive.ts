// One random program of which workers are lost at random moments of a random schedule, while snapshots are taken. Whoever takes the place of one is
// what it was in the last snapshot, beside all others. All of it comes of the seed.
import type { Snapshot } from '@turntable/runtime';
import type { Actor } from '../../../packages/runtime/src/actors/actor.ts';
import { FarRef } from '../../../packages/runtime/src/references/far-ref.ts';
import { PIECE } from '../../../packages/runtime/src/snapshot/worker-snapshot.ts';
import { hashesOf, wrongReferences } from './checks.ts';
import { House, type Seat } from './house.ts';
import { randomPlan, type Step } from './plan.ts';
import { oneOf, randomOf } from './random.ts';
import { Room } from './room.ts';

const WORKERS = 3;
const MOST_STEPS = 100_000;
const GONE = 'had a reference to it any more';
/** Steps between two jobs of Node's. */
const AT_ONCE = 15;

export interface Revived {
  readonly wrong: readonly string[];
  readonly snapshots: number;
  readonly losses: number;
  /** Actors that were what they had been. */
  readonly revived: number;
  /** References that had to be claimed of others. */
  readonly claimed: number;
}

interface Account {
  readonly number: number | string;
  readonly peers: readonly FarRef[];
}

/** Rooms are dear, and can be used again after a life that has come to its end. */
const rooms: Room[] = [];
const room = (): Room => rooms.pop() ?? new Room();

export async function revive(seed: number): Promise<Revived> {
  const random = randomOf(seed);
  const plan = randomPlan(random, WORKERS);
  const accounts = plan.accounts.map((account) => ({ ...account, supervise: oneOf(random, WAYS) }));
  const wrong: string[] = [];
  /** What accounts were at the cuts. */
  const known = new Map<string, string>();
  const sums = { snapshots: 0, losses: 0, revived: 0, claimed: 0 };
  let last: Snapshot | undefined;
  /** One that was lost was nothing of what it had been, so that what only it knew is gone; a later one may have known it before. */
  let hasForgotten = false;
  /** No more are lost. */
  let isOver = false;
  /** Of all actors at the last cut. Whom nobody can send anything to any more is among them, and in no snapshot. */
  const hashes = new Map<number, string>();
  const house = new House(Array.from({ length: WORKERS }, room), random, {
    cut(seat, phase) {
      const { actors } = seat;
      if (isOver) for (const [id, hash] of hashesOf(seat)) hashes.set(id, hash);
      for (const { id, root } of actors) if (root !== undefined) known.set(`${phase} ${id}`, digestOf(root as Account));
    },
  });

  /** It is what it was; nothing has run there yet. */
  const look = (seat: Seat, { phase }: Snapshot): void => {
    const { room, actors } = seat;
    for (const { piece, actor, root } of room.roots as { piece: number; actor: Actor; root: object | undefined }[]) {
      if (piece !== PIECE.actor || root === undefined || actor.id < WORKERS) continue;
      actors.add(actor);
      sums.revived++;
      const [is, was] = [digestOf(root as Account), known.get(`${phase} ${actor.id}`)];
      if (is !== was) wrong.push(`${actor.name} is ${is} and was ${was}`);
    }
    sums.claimed += seat.scheduler.neighbours.references.held;
  };
  const lose = (): void => {
    const index = 1 + random(WORKERS - 1);
    const from = last;
    if (from === undefined) hasForgotten = true;
    sums.losses++;
    house.lose(index, room(), from, (seat) => look(seat, from as Snapshot));
  };
  const take = (): void => {
    const { losses } = sums;
    void house.take().then(
      (snapshot) => {
        sums.snapshots++;
        // Of two lives that follow one another the second is not to know more of the one before than the first.
        if (losses === sums.losses) last = snapshot;
      },
      () => undefined,
    );
  };
  try {
    const isKept = (): boolean => random(2) === 0;
    const steps = plan.steps.map((step) => keeping(step, isKept));
    house.load({ accounts, steps });
    const often = 20 + random(200);
    let losses = 1 + random(3);
    await run(house, () => {
      if (random(often >> 1) === 0 && sums.snapshots < 6) take();
      if (losses > 0 && random(often) === 0) {
        losses--;
        lose();
      }
    });
    // At rest, too.
    take();
    await run(house, () => undefined);
    lose();
    await run(house, () => undefined);
    isOver = true;
    take();
    await run(house, () => undefined);
    wrong.push(...(await wrongRestored(last as unknown as Snapshot, hashes)));
    wrong.push(...(await wrongInTheEnd(house)));
  } catch (error) {
    wrong.push(error instanceof Error ? String(error.stack) : String(error));
  } finally {
    house.end();
  }
  if (wrong.length === 0) rooms.push(...house.seats.map((seat) => seat.room));
  return { wrong: wrong.filter((line) => !(hasForgotten && line.endsWith(GONE))), ...sums };
}

const WAYS = ['restore', 'restore', 'restore', 'restart'] as const;

/** Some of the children that are raised live where those do that raise them, and are to be what they were whenever these are. */
function keeping(step: Step, isKept: () => boolean): Step & { readonly isKept: boolean } {
  return { ...step, isKept: isKept(), then: step.then.map((each) => keeping(each, isKept)) };
}

/** Until nobody has anything to do. */
async function run(house: House, meanwhile: () => void): Promise<void> {
  for (let steps = 0; ; steps += AT_ONCE) {
    let isLeft = true;
    // What a worker is restored by, and who waits for a snapshot, has its turn now and then.
    for (let some = 0; some < AT_ONCE && isLeft; some++) isLeft = house.step(meanwhile);
    for (let i = 0; i < 20; i++) await undefined;
    if (!isLeft && !house.step(meanwhile)) return;
    if (steps > MOST_STEPS) throw new Error(`it has not come to an end after ${MOST_STEPS} steps`);
  }
}

/** A snapshot of what some were restored in is as good as any. */
async function wrongRestored(snapshot: Snapshot, hashes: ReadonlyMap<number, string>): Promise<string[]> {
  const wrong: string[] = [];
  const lives = snapshot.parts.map(({ life }) => life);
  const house = new House(snapshot.parts.map(room), randomOf(snapshot.phase), { cut: () => undefined }, lives);
  try {
    const goOn = await house.restore(snapshot, (seat) => {
      for (const [id, hash] of hashesOf(seat))
        if (hash !== hashes.get(id)) wrong.push(`actor ${id}, restored, is not what it was at the cut`);
    });
    goOn();
    await run(house, () => undefined);
    wrong.push(...(await wrongInTheEnd(house)).map((line) => `restored: ${line}`));
  } finally {
    house.end();
  }
  if (wrong.length === 0) rooms.push(...house.seats.map((seat) => seat.room));
  return wrong;
}

/** Everybody supervised answers, and whoever has references to them reaches them. */
async function wrongInTheEnd(house: House): Promise<string[]> {
  const wrong: string[] = [];
  const [{ room }] = house.seats as [Seat];
  const answers = new Map<number, unknown>();
  (room.exports['accounts'] as { reach(): PromiseLike<number> }[]).forEach((account, i) => {
    answers.set(i, 'nothing');
    account.reach().then(
      (count) => answers.set(i, count),
      (error: unknown) => answers.set(i, error),
    );
  });
  await run(house, () => undefined);
  for (const [i, answer] of answers)
    if (typeof answer !== 'number') wrong.push(`account ${i} answers ${String(answer)}`);
  for (const { scheduler } of house.seats) {
    if (!scheduler.isIdle) wrong.push(`worker ${scheduler.index} is not idle`);
    const { orphans } = scheduler.read().neighbours.references;
    for (const { place, missing } of orphans)
      wrong.push(`worker ${scheduler.index} waits for ${missing.join()} to claim what ${place} had`);
  }
  wrong.push(...wrongReferences(house));
  return wrong;
}

/** All that it knows by itself. */
function digestOf({ peers, ...account }: Account): string {
  return JSON.stringify(
    [...Object.entries(account), ['peers', peers.map((peer) => FarRef.actorOf(peer).id)]],
    (_, value: unknown) =>
      value instanceof Map
        ? [...value.keys()]
        : value instanceof Set
          ? [...value]
          : typeof value === 'function'
            ? 'function'
            : value,
  );
}
