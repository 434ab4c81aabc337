// Back-pressure: senders to overloaded actors are held, on one worker and across workers; limits refuse messages; no
// sender is held forever.
import { describe, expect, it } from 'vitest';
import { createChooser, createWorld, type WorkerContext } from './test-world.ts';

interface Flood {
  flood(to: unknown, turns: number, each: number): Promise<void>;
  count(): PromiseLike<number>;
  maxWaiting(): PromiseLike<number>;
  take(): Promise<number>;
}

/** Sends a number of messages in each of its turns; counts the received and the waiting messages. */
class FloodActor {
  readonly #context: WorkerContext;
  #count = 0;
  #maxWaiting = 0;
  constructor(context: WorkerContext) {
    this.#context = context;
  }
  flood(to: Flood, turns: number, each: number): void {
    const { scheduler } = this.#context;
    for (let i = 0; i < each; i++) void (scheduler.actorApi.tell(to as never) as Flood).take();
    if (turns > 1) (scheduler.actorApi.tell(scheduler.actorApi.far(this)) as Flood).flood(to, turns - 1, each);
  }
  take(): number {
    this.#maxWaiting = Math.max(this.#maxWaiting, this.#context.scheduler.waiting);
    return ++this.#count;
  }
  count(): number {
    return this.#count;
  }
  maxWaiting(): number {
    return this.#maxWaiting;
  }
}

const classes = { Node: FloodActor as never };

function readLater<T>(value: PromiseLike<T>): () => T | undefined {
  let result: T | undefined;
  value.then((answer) => (result = answer));
  return () => result;
}

describe('sender to an overloaded actor', () => {
  for (const place of [0, 1]) {
    it(`is held until the actor has caught up, ${place === 0 ? 'on its own worker' : 'from another one'}`, () => {
      const world = createWorld(2, classes);
      const { scheduler, classFor } = world.workers[0]!;
      const sink = scheduler.actorApi.spawn(classFor('Node'), [], place, {
        mailbox: { mark: 100 },
      }) as unknown as Flood;
      const sources = [0, 1, 2].map(() => scheduler.actorApi.spawn(classFor('Node'), []) as unknown as Flood);
      for (const source of sources)
        for (let i = 0; i < 200; i++) void (scheduler.actorApi.tell(source as never) as Flood).flood(sink, 1, 50);
      world.run(createChooser(7));
      const [count, most] = [readLater(sink.count()), readLater(sink.maxWaiting())];
      world.run(createChooser(7));
      expect(count()).toBe(3 * 200 * 50);
      // Messages are in flight before the sender is held, and each may start a turn.
      expect(most()).toBeLessThan(place === 0 ? 1000 : 4000);
      expect(world.workers.every(({ scheduler: each }) => each.isIdle)).toBe(true);
    });
  }

  it('is not held while it is overloaded itself: two floods end', () => {
    for (const place of [0, 1]) {
      const world = createWorld(2, classes);
      const { scheduler, classFor } = world.workers[0]!;
      const spawn = (on: number): Flood =>
        scheduler.actorApi.spawn(classFor('Node'), [], on, { mailbox: { mark: 10 } }) as unknown as Flood;
      const [one, other] = [spawn(0), spawn(place)];
      void one.flood(other, 50, 40);
      void other.flood(one, 50, 40);
      world.run(createChooser(3));
      const counts = [one, other].map((each) => readLater(each.count()));
      world.run(createChooser(3));
      expect(counts.map((each) => each())).toEqual([2000, 2000]);
    }
  });

  it('is not held while it holds others with between half its mark and its mark', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const world = createWorld(2, classes);
      const { scheduler, classFor } = world.workers[0]!;
      const spawn = (on: number): Flood =>
        scheduler.actorApi.spawn(classFor('Node'), [], on, { mailbox: { mark: 5 } }) as unknown as Flood;
      const all = [spawn(0), spawn(seed % 2), spawn(1)];
      for (const one of all) for (const other of all) if (one !== other) void one.flood(other, 20, 1 + (seed % 3));
      world.run(createChooser(seed));
      const counts = all.map((each) => readLater(each.count()));
      world.run(createChooser(seed));
      const expected = 2 * 20 * (1 + (seed % 3));
      expect(counts.map((each) => each())).toEqual([expected, expected, expected]);
    }
  });

  for (const place of [0, 1]) {
    it(`gets an error with a remedy beyond a limit, ${place === 0 ? 'on its own worker' : 'from another one'}`, () => {
      const world = createWorld(2, classes);
      const { scheduler, classFor } = world.workers[0]!;
      const sink = scheduler.actorApi.spawn(classFor('Node'), [], place, { mailbox: { limit: 5 } }) as unknown as Flood;
      world.run(createChooser(1));
      const outcomes: unknown[] = [];
      for (let i = 0; i < 50; i++)
        sink.take().then(
          (answer) => outcomes.push(answer),
          (error: unknown) => outcomes.push(error),
        );
      world.run(createChooser(1));
      const taken = outcomes.filter((each) => typeof each === 'number');
      expect(taken).toEqual(Array.from({ length: taken.length }, (_, i) => i + 1));
      if (place === 0) expect(taken.length).toBe(5);
      else expect(taken.length).toBeLessThan(50);
      expect(outcomes.filter((each) => typeof each !== 'number')).toEqual(
        Array.from({ length: 50 - taken.length }, () =>
          expect.objectContaining({
            code: 'TT_MAILBOX_FULL',
            message:
              'the mailbox of Node#1 is full, because 5 messages wait; send fewer messages at a time, or spawn it with a higher mailbox.limit',
          }),
        ),
      );
    });
  }
});
