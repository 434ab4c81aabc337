// What a worker has in mind is read, forgotten and written again.
import { expect } from 'vitest';
import { Actor } from '../src/actors/actor.ts';
import { FarRef } from '../src/references/far-ref.ts';
import type { SchedulerState } from '../src/scheduler/scheduler-state.ts';
import type { World } from './world.ts';

/** What an actor is beside its graph and its mailbox; what its context is to the host begins anew. */
function readActor(actor: Actor) {
  const { name, life, waiting, isAside, isHeld, mark, limit, turns, exports, root, rootRef, failure } = actor;
  const held = actor.held?.slice();
  const heldWorkers = actor.heldWorkers?.slice();
  const watchers = actor.watchers?.slice();
  const pressure = { waiting, isAside, isHeld, mark, limit, held, heldWorkers };
  return { name, life, ...pressure, turns, exports, root, rootRef, failure, watchers };
}

/** Of nothing, with links to the same workers. */
function blank({ neighbours: { links, life } }: SchedulerState): SchedulerState {
  const nothing = { phase: 0, questions: 0, eventuals: 0, asked: [], passed: [], trails: [] };
  return {
    phase: 0,
    spawned: 0,
    turns: 0,
    rounds: 0,
    steps: 0,
    round: 1,
    queue: { all: [], apart: [] },
    neighbours: {
      life,
      links: links.map((link) => ({ worker: link.worker, life: link.life, isOpen: true, lost: undefined, ...nothing })),
      references: { pins: [], inVain: [], exported: [], strangers: [], lives: [], orphans: [] },
      unborn: { expected: [], created: [], over: [], failed: [] },
      supervised: [],
    },
    deadlines: { numbers: 0, waiting: [] },
    tracked: [],
    asked: [],
    questions: 0,
    census: { born: 0 },
    places: undefined,
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
      const { held, watchers, rootRef } = readActor(value);
      return look([held, watchers, rootRef]);
    }
    if (FarRef.has(value)) return look(FarRef.actorOf(value));
    if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) Object.values(value).forEach(look);
  };
  look(state);
  return actors;
}

/** Reads all that a worker has in mind, has it forget that, and writes it again. */
export function rewrite(world: World, index: number): void {
  const { scheduler, isAlive } = world.workers[index]!;
  if (!isAlive) return;
  const state = scheduler.read();
  const actors = new Map<Actor, ReturnType<typeof readActor>>();
  for (const actor of actorsIn([state, scheduler.main])) actors.set(actor, readActor(actor));
  const nothing = blank(state);
  scheduler.write(nothing);
  for (const actor of actors.keys()) Object.assign(actor, readActor(new Actor(actor.id, actor.worker, 'nobody')));
  expect(scheduler.read()).toEqual(nothing);
  for (const [actor, what] of actors) Object.assign(actor, what);
  scheduler.write(state);
  expect(scheduler.read()).toEqual(state);
}
