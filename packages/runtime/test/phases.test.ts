// Phases: each worker enters one between two turns, however it learns of it. At every cut each message is consumed,
// queued or in flight, exactly once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ActorCell } from '../src/actors/actor-cell.ts';
import {
  replayWorker,
  createChooser,
  createWorld,
  runAlone,
  ringContents,
  type WorkerContext,
  type World,
  type WorldWorker,
} from './test-world.ts';

interface RemoteRelay {
  pass(ring: readonly RemoteRelay[], hops: number): void;
}

/** Forwards each message to the next actor, several times. */
class Relay {
  readonly #context: WorkerContext;
  constructor(context: WorkerContext) {
    this.#context = context;
  }
  pass(ring: readonly RemoteRelay[], hops: number): void {
    if (hops === 0) return;
    const { scheduler, realm } = this.#context;
    const next = ring[hops % ring.length] as RemoteRelay;
    (scheduler.actorApi.tell(next) as RemoteRelay).pass(ring, hops - 1);
    if (hops % 3 === 0)
      void realm.Promise.resolve().then(() => (scheduler.actorApi.tell(next) as RemoteRelay).pass(ring, 0));
  }
}

const classes = { Relay: Relay as never };

interface Cut {
  readonly phase: number;
  readonly isCutPoint: boolean;
  readonly turns: number;
  /** Number of messages to and from other workers, without markers. */
  readonly sent: number;
  readonly taken: number;
}

interface Seen {
  readonly cuts: Cut[];
  /** Phases in which a message was sent and taken. */
  readonly taken: { readonly sentIn: number; readonly takenIn: number }[];
}

function watch({ scheduler }: WorldWorker): Seen {
  const seen: Seen = { cuts: [], taken: [] };
  scheduler.observe({
    cut(phase, isCutPoint) {
      const { sent } = scheduler.workerLinks.traffic;
      seen.cuts.push({ phase, isCutPoint, turns: scheduler.turns, sent, taken: seen.taken.length });
    },
    messageTaken: (_, sentIn) => void seen.taken.push({ sentIn, takenIn: scheduler.phase }),
  });
  return seen;
}

function startRelays({ scheduler, classFor }: WorldWorker, places: readonly number[], hops: number): void {
  const ring = places.map((place) =>
    scheduler.actorApi.spawn(classFor('Relay'), [], place),
  ) as unknown as RemoteRelay[];
  ring.forEach((relay, i) => (scheduler.actorApi.tell(relay) as RemoteRelay).pass(ring, hops + i));
}

describe('a phase', () => {
  it('is entered by every worker, and no message is taken in an earlier phase than it was sent in', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(2), { minLength: 1, maxLength: 5 }),
        fc.nat(40),
        fc.array(fc.integer({ min: 1, max: 120 }), { maxLength: 4 }),
        fc.nat(65535),
        fc.nat(2),
        (places, hops, triggers, seed, tells) => {
          const world: World = createWorld(3, classes, { loads: true, size: 2 ** 18 });
          const seen = world.workers.map((worker) => watch(worker));
          // Memory shared by workers; a replay has only its trace.
          const { cutPoints } = world.workers[0]!.scheduler;
          for (const { scheduler } of world.workers) scheduler.cutPoints = cutPoints;
          startRelays(world.workers[0]!, places, hops);
          const choose = createChooser(seed);
          let steps = 0;
          let phase = 0;
          // One worker is notified; the others learn of the phase from its messages, or at the end.
          world.run((count) => {
            if (!triggers.includes(++steps)) return choose(count);
            if (++phase % 2 === 1) cutPoints.add(phase);
            world.workers[tells]!.scheduler.startPhase(phase);
            return choose(count);
          });
          for (const { scheduler } of world.workers) expect(scheduler.phase).toBe(phase);
          for (const { cuts } of seen) expect(cuts.every((cut) => cut.isCutPoint === (cut.phase % 2 === 1))).toBe(true);
          const all = seen.flatMap(({ taken }) => taken);
          expect(all.every(({ sentIn, takenIn }) => sentIn <= takenIn)).toBe(true);
          for (let p = 1; p <= phase; p++) {
            // The cut of a skipped phase is that of the next one.
            const cuts = seen.map(({ cuts }) => cuts.find((cut) => cut.phase >= p)!);
            const sent = cuts.reduce((sum, cut) => sum + cut.sent, 0);
            const taken = cuts.reduce((sum, cut) => sum + cut.taken, 0);
            const underWay = all.filter(({ sentIn, takenIn }) => sentIn < p && takenIn >= p).length;
            expect(taken + underWay).toBe(sent);
          }
          world.workers.forEach(({ scheduler }, index) => {
            const { worker, rings } = replayWorker(world, index, classes, { loads: true });
            const cuts = watch(worker);
            if (index === 0) startRelays(worker, places, hops);
            runAlone(worker);
            expect(cuts).toEqual(seen[index]);
            expect(worker.scheduler.turns).toBe(scheduler.turns);
            world.workers.forEach((_, other) => {
              if (other !== index)
                expect(ringContents(rings.ring(index, other))).toBe(ringContents(world.rings.ring(index, other)));
            });
          });
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('an observer of turns', () => {
  class Owner {
    readonly #context: WorkerContext;
    part = { name: 'part' };
    constructor(context: WorkerContext) {
      this.#context = context;
    }
    lend(): object {
      return this.#context.scheduler.actorApi.far(this.part);
    }
    takeBack(): void {
      this.#context.scheduler.actorApi.release(this.#context.scheduler.actorApi.far(this.part));
    }
    later(): void {
      const { realm } = this.#context;
      void realm.Promise.resolve(native.promise).then(() => (this.part.name = 'changed'));
    }
  }
  const native = Promise.withResolvers<void>();

  it('is notified before an actor changes, in its turns and in host callbacks', async () => {
    const world = createWorld(1, { Owner: Owner as never });
    const worker = world.workers[0]!;
    const { scheduler, classFor } = worker;
    const touched: string[] = [];
    let actor: ActorCell | undefined;
    scheduler.observe({
      touch(each) {
        actor = each;
        const { part } = (each.root ?? {}) as Partial<Owner>;
        touched.push(`${each.name} ${part?.name ?? ''}`.trim());
      },
    });
    const owner = scheduler.actorApi.spawn(classFor('Owner'), [], 0, { name: 'owner' }) as unknown as Owner;
    runAlone(worker);
    expect(touched).toEqual(['owner']);
    void owner.lend();
    runAlone(worker);
    // The actor's turn, its lent object, and the turn of the caller.
    expect(touched).toEqual(['owner', 'owner part', 'owner part', 'the main program']);
    expect(actor).toBe(scheduler.main);
    void owner.later();
    runAlone(worker);
    touched.length = 0;
    native.resolve();
    await native.promise;
    runAlone(worker);
    // Its promise is settled, and its reaction runs.
    expect(touched).toEqual(['owner part', 'owner part']);
    scheduler.observe(undefined);
    void owner.takeBack();
    runAlone(worker);
    expect(touched).toHaveLength(2);
  });
});
