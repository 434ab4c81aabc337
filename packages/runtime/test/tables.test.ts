// What a scheduler keeps in mind is data: read and written back it goes on as if nothing had happened, at whatever moment between two turns, and
// nothing of it is left where something else was written.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FarRef } from '../src/far-ref.ts';
import { ANY, classes, countOf, ORDERED, outOfOrder, randomDeath, randomRun, run, sum } from './letters.ts';
import { rewrite } from './rewriting.ts';
import { createWorld, written, type Here, type World } from './world.ts';

describe('what a worker has in mind, read and written again', () => {
  it('changes nothing of what it does, to the byte, whoever is lost meanwhile', () => {
    fc.assert(
      fc.property(
        randomRun(ORDERED),
        fc.nat(65535),
        randomDeath,
        fc.nat(2),
        fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 4 }),
        (random, seed, death, who, when) => {
          const options = { size: 2 ** 18 };
          const all = ({ world, logs }: ReturnType<typeof run>): unknown => ({
            logs,
            workers: world.workers.map(({ scheduler, reports, ingests }) => ({
              turns: scheduler.turns,
              reports,
              ingests,
            })),
            bytes: world.workers.map((_, from) =>
              world.workers.map((__, to) => (from === to ? '' : written(world.rings.ring(from, to)))),
            ),
          });
          const first = all(run(random, 3, seed, options, death));
          const meanwhile = (world: World, step: number): void => void (when.includes(step) && rewrite(world, who));
          expect(all(run(random, 3, seed, options, death, meanwhile))).toEqual(first);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('loses and doubles nothing while deadlines run and classes are looked for', () => {
    fc.assert(
      fc.property(
        randomRun([...ORDERED, 'in time']),
        fc.nat(65535),
        fc.nat(2),
        fc.array(fc.integer({ min: 1, max: 80 }), { minLength: 1, maxLength: 4 }),
        (random, seed, who, when) => {
          const meanwhile = (world: World, step: number): void => void (when.includes(step) && rewrite(world, who));
          const { world, logs } = run(random, 3, seed, { size: 2 ** 12, loads: true }, undefined, meanwhile);
          expect(outOfOrder(logs)).toEqual([]);
          const received = logs.flat(2).filter((line) => !line.startsWith('answer') && line !== 'tick').length;
          expect(received).toBe(countOf(random.steps) + random.steps.length);
          const traffic = world.workers.map(({ scheduler }) => scheduler.neighbours.traffic);
          expect(sum(traffic.map(({ sent }) => sent))).toBe(sum(traffic.map(({ taken }) => taken)));
          expect(world.workers.every(({ scheduler }) => scheduler.isIdle)).toBe(true);
          expect(world.workers.flatMap(({ reports }) => reports)).toEqual([]);
        },
      ),
      { numRuns: 80 },
    );
  });

  it('is the same in a scheduler that has had nothing in mind', () => {
    fc.assert(
      fc.property(
        randomRun(ANY),
        fc.nat(65535),
        fc.nat(2),
        fc.integer({ min: 1, max: 60 }),
        (random, seed, who, when) => {
          run(random, 3, seed, { loads: true }, undefined, (world, step) => {
            if (step !== when) return;
            const state = world.workers[who]!.scheduler.read();
            const other = createWorld(3, classes, { loads: true }).workers[who]!.scheduler;
            other.write(state);
            expect(other.read()).toEqual(state);
          });
        },
      ),
      { numRuns: 25 },
    );
  });

  it('contains who wants to know of the end of an actor, here and elsewhere', () => {
    const world = createWorld(2, { Idle: Idle as never });
    const told: string[] = [];
    const { scheduler, classHere } = world.workers[0]!;
    const actors = [0, 1].map((place) => scheduler.spawn(classHere('Idle'), [], place));
    for (const actor of actors)
      void (scheduler.whenBroken(actor) as unknown as PromiseLike<Error>).then(({ message }) => told.push(message));
    world.run(() => 0);
    for (const worker of [0, 1]) rewrite(world, worker);
    for (const actor of actors) scheduler.stop(actor);
    world.run(() => 0);
    expect(told.toSorted()).toEqual([1, 2].map((i) => `Idle#${i} has been stopped; it takes no more messages`));
  });

  it('contains what waits for an actor that others have heard of before it was here', () => {
    const world = createWorld(3, { Idle: Idle as never, Teller: Teller as never }, { loads: true });
    const { scheduler, classHere, outside } = world.workers[0]!;
    const teller = scheduler.spawn(classHere('Teller'), [], 1) as unknown as Teller;
    const idle = scheduler.spawn(classHere('Idle'), [], 2);
    const answers: string[] = [];
    void (teller.tell(idle) as PromiseLike<[string, Error]>).then(([name, { message }]) => answers.push(name, message));
    // Its class is found last.
    const isLeft = (): boolean => world.workers.some(({ tasks }) => tasks.length > 0);
    for (const each of world.workers) each.scheduler.look();
    do {
      for (const { tasks } of world.workers) tasks.shift()?.();
      world.workers[1]!.outside.shift()?.();
      for (const each of world.workers) each.scheduler.look();
    } while (isLeft());
    expect(answers).toEqual([]);
    expect(
      world.workers[2]!.scheduler.read().neighbours.unborn.expected.map(({ messages }) => messages.length),
    ).toEqual([3]);
    rewrite(world, 2);
    world.run(() => 0);
    expect(answers).toEqual(['idle', 'Idle#2 has been stopped; it takes no more messages']);
    expect(outside).toEqual([]);
  });
});

class Idle {
  constructor(_here: Here) {}
  name(): string {
    return 'idle';
  }
}

class Teller {
  readonly #here: Here;
  constructor(here: Here) {
    this.#here = here;
  }
  tell(idle: unknown): unknown {
    const { scheduler, realm } = this.#here;
    const name = (idle as Idle).name();
    const end = scheduler.whenBroken(idle as FarRef);
    scheduler.stop(idle as FarRef);
    return realm.Promise.all([name, end] as never);
  }
}
