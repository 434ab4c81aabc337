// Phases: each worker enters one between two turns, whoever told it; at every cut each message is consumed, in a mailbox or under way, once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Actor } from '../src/actors/actor.ts';
import { again, choices, createWorld, runAlone, written, type Here, type World, type WorldWorker } from './world.ts';

interface RemoteRelay {
  pass(ring: readonly RemoteRelay[], hops: number): void;
}

/** Sends what it gets to the next one, several times. */
class Relay {
  readonly #here: Here;
  constructor(here: Here) {
    this.#here = here;
  }
  pass(ring: readonly RemoteRelay[], hops: number): void {
    if (hops === 0) return;
    const { scheduler, realm } = this.#here;
    const next = ring[hops % ring.length] as RemoteRelay;
    (scheduler.program.tell(next) as RemoteRelay).pass(ring, hops - 1);
    if (hops % 3 === 0)
      void realm.Promise.resolve().then(() => (scheduler.program.tell(next) as RemoteRelay).pass(ring, 0));
  }
}

const classes = { Relay: Relay as never };

interface Cut {
  readonly phase: number;
  readonly isBare: boolean;
  readonly turns: number;
  /** So many messages to and from others, markers not counted. */
  readonly sent: number;
  readonly taken: number;
}

interface Seen {
  readonly cuts: Cut[];
  /** In which phase it was sent, and in which it was taken. */
  readonly taken: { readonly sentIn: number; readonly takenIn: number }[];
}

function watch({ scheduler }: WorldWorker): Seen {
  const seen: Seen = { cuts: [], taken: [] };
  scheduler.watch({
    cut(phase, isBare) {
      const { sent } = scheduler.neighbours.traffic;
      seen.cuts.push({ phase, isBare, turns: scheduler.turns, sent, taken: seen.taken.length });
    },
    take: (_, sentIn) => void seen.taken.push({ sentIn, takenIn: scheduler.phase }),
  });
  return seen;
}

function begin({ scheduler, classHere }: WorldWorker, places: readonly number[], hops: number): void {
  const ring = places.map((place) =>
    scheduler.program.spawn(classHere('Relay'), [], place),
  ) as unknown as RemoteRelay[];
  ring.forEach((relay, i) => (scheduler.program.tell(relay) as RemoteRelay).pass(ring, hops + i));
}

describe('a phase', () => {
  it('is entered by every worker, and no message is taken in one before that in which it was sent', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }),
        fc.nat(40),
        fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 4 }),
        fc.nat(65535),
        fc.nat(2),
        (places, hops, triggers, seed, told) => {
          const world: World = createWorld(3, classes, { loads: true, size: 2 ** 18 });
          const seen = world.workers.map((worker) => watch(worker));
          // What workers share; a run again has nothing of it but what its trace says.
          const { bare } = world.workers[0]!.scheduler;
          for (const { scheduler } of world.workers) scheduler.bare = bare;
          begin(world.workers[0]!, places, hops);
          const choose = choices(seed);
          let steps = 0;
          let phase = 0;
          // One worker is told; the others learn it by what it sends, or at the end.
          world.run((count) => {
            if (!triggers.includes(++steps)) return choose(count);
            if (++phase % 2 === 1) bare.add(phase);
            world.workers[told]!.scheduler.begin(phase);
            return choose(count);
          });
          for (const { scheduler } of world.workers) expect(scheduler.phase).toBe(phase);
          for (const { cuts } of seen) expect(cuts.every((cut) => cut.isBare === (cut.phase % 2 === 1))).toBe(true);
          const all = seen.flatMap(({ taken }) => taken);
          expect(all.every(({ sentIn, takenIn }) => sentIn <= takenIn)).toBe(true);
          for (let p = 1; p <= phase; p++) {
            // Of a phase that was passed over, the cut is that of the next one.
            const cuts = seen.map(({ cuts }) => cuts.find((cut) => cut.phase >= p)!);
            const sent = cuts.reduce((sum, cut) => sum + cut.sent, 0);
            const taken = cuts.reduce((sum, cut) => sum + cut.taken, 0);
            const underWay = all.filter(({ sentIn, takenIn }) => sentIn < p && takenIn >= p).length;
            expect(taken + underWay).toBe(sent);
          }
          world.workers.forEach(({ scheduler }, index) => {
            const { worker, rings } = again(world, index, classes, { loads: true });
            const cuts = watch(worker);
            if (index === 0) begin(worker, places, hops);
            runAlone(worker);
            expect(cuts).toEqual(seen[index]);
            expect(worker.scheduler.turns).toBe(scheduler.turns);
            world.workers.forEach((_, other) => {
              if (other !== index)
                expect(written(rings.ring(index, other))).toBe(written(world.rings.ring(index, other)));
            });
          });
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('who looks on', () => {
  class Owner {
    readonly #here: Here;
    part = { name: 'part' };
    constructor(here: Here) {
      this.#here = here;
    }
    lend(): object {
      return this.#here.scheduler.program.far(this.part);
    }
    takeBack(): void {
      this.#here.scheduler.program.release(this.#here.scheduler.program.far(this.part));
    }
    later(): void {
      const { realm } = this.#here;
      void realm.Promise.resolve(native.promise).then(() => (this.part.name = 'changed'));
    }
  }
  const native = Promise.withResolvers<void>();

  it('is told of an actor before it changes, in its turns and when something outside goes on with it', async () => {
    const world = createWorld(1, { Owner: Owner as never });
    const worker = world.workers[0]!;
    const { scheduler, classHere } = worker;
    const touched: string[] = [];
    let actor: Actor | undefined;
    scheduler.watch({
      touch(each) {
        actor = each;
        const { part } = (each.root ?? {}) as Partial<Owner>;
        touched.push(`${each.name} ${part?.name ?? ''}`.trim());
      },
    });
    const owner = scheduler.program.spawn(classHere('Owner'), [], 0, { name: 'owner' }) as unknown as Owner;
    runAlone(worker);
    expect(touched).toEqual(['owner']);
    void owner.lend();
    runAlone(worker);
    // Its turn, what it lends, and the turn of who has asked.
    expect(touched).toEqual(['owner', 'owner part', 'owner part', 'the main program']);
    expect(actor).toBe(scheduler.main);
    void owner.later();
    runAlone(worker);
    touched.length = 0;
    native.resolve();
    await native.promise;
    runAlone(worker);
    // When the promise of its own is settled, and when its reaction runs.
    expect(touched).toEqual(['owner part', 'owner part']);
    scheduler.watch(undefined);
    void owner.takeBack();
    runAlone(worker);
    expect(touched).toHaveLength(2);
  });
});
