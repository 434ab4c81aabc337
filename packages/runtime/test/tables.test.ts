// What a scheduler keeps in mind is data: read and written back it goes on as if nothing had happened, at whatever moment between two turns, and
// nothing of it is left where something else was written.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Actor, type ActorState } from '../src/actor.ts';
import { FarRef } from '../src/far-ref.ts';
import type { SchedulerState } from '../src/scheduler.ts';
import { ANY, classes, countOf, ORDERED, outOfOrder, randomDeath, randomRun, run, sum } from './letters.ts';
import { createWorld, written, type World } from './world.ts';

/** Of nothing, with links to the same workers. */
function blank({ neighbours: { links, life } }: SchedulerState): SchedulerState {
  const nothing = { phase: 0, questions: 0, eventuals: 0, asked: [], passed: [], trails: [] };
  return {
    phase: 0,
    spawned: 0,
    turns: 0,
    rounds: 0,
    round: 1,
    queue: { all: [], apart: [] },
    neighbours: {
      life,
      links: links.map((link) => ({ worker: link.worker, life: link.life, isOpen: true, lost: undefined, ...nothing })),
      references: { pins: [], exported: [], strangers: [], lives: [], orphans: [] },
      unborn: { expected: [], created: [], over: [], failed: [] },
      supervised: [],
    },
    deadlines: { numbers: 0, waiting: [] },
    tracked: [],
    asked: [],
    census: { born: 0, known: [] },
  };
}

/** All actors that a state mentions. */
function actorsIn(state: unknown): Set<Actor> {
  const met = new Set<unknown>();
  const actors = new Set<Actor>();
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || met.has(value)) return;
    met.add(value);
    if (value instanceof Actor) {
      actors.add(value);
      const { held, watchers, rootRef } = Actor.read(value);
      return look([held, watchers, rootRef]);
    }
    if (FarRef.has(value)) return look(FarRef.actorOf(value));
    if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) Object.values(value).forEach(look);
  };
  look(state);
  return actors;
}

/** Reads all that a worker has in mind, has it forget that, and writes it again. */
function rewrite(world: World, index: number): void {
  const { scheduler, isAlive } = world.workers[index]!;
  if (!isAlive) return;
  const state = scheduler.read();
  const actors = new Map<Actor, ActorState>();
  for (const actor of actorsIn([state, scheduler.main])) actors.set(actor, Actor.read(actor));
  const nothing = blank(state);
  scheduler.write(nothing);
  for (const actor of actors.keys()) Actor.write(actor, Actor.read(new Actor(actor.id, actor.worker, 'nobody')));
  expect(scheduler.read()).toEqual(nothing);
  for (const [actor, what] of actors) Actor.write(actor, what);
  scheduler.write(state);
  expect(scheduler.read()).toEqual(state);
}

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
      { numRuns: 150 },
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
      { numRuns: 150 },
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
      { numRuns: 50 },
    );
  });
});
