// Reads, clears and writes back the state of a worker.
import { expect } from 'vitest';
import { ActorCell } from '../src/actors/actor-cell.ts';
import { FarReference } from '../src/references/far-reference.ts';
import type { SchedulerState } from '../src/scheduler/scheduler-state.ts';
import type { World } from './test-world.ts';

/** State of an actor without its graph and mailbox; its host context is created again. */
function actorFields(actor: ActorCell) {
  const { name, epoch, waiting, isParked, isHeld, mark, limit, turns, exportCount, root, rootRef, failure } = actor;
  const heldSenders = actor.heldSenders?.slice();
  const heldWorkers = actor.heldWorkers?.slice();
  const watchers = actor.watchers?.slice();
  const pressure = { waiting, isParked, isHeld, mark, limit, heldSenders, heldWorkers };
  return { name, epoch, ...pressure, turns, exportCount, root, rootRef, failure, watchers };
}

/** An empty state with links to the same workers. */
function emptyState({ workerLinks: { links, epoch } }: SchedulerState): SchedulerState {
  const nothing = { phase: 0, lastCallId: 0, lastEventualId: 0, pendingCalls: [], pendingEventuals: [], trails: [] };
  return {
    phase: 0,
    lastSpawned: 0,
    turns: 0,
    rounds: 0,
    steps: 0,
    turnsPerRound: 1,
    queue: { shared: [], perRecipient: [] },
    workerLinks: {
      epoch,
      links: links.map((link) => ({
        worker: link.worker,
        epoch: link.epoch,
        isOpen: true,
        lossReason: undefined,
        ...nothing,
      })),
      references: { pins: [], unmatchedClaims: [], exported: [], remoteActors: [], epochs: [], orphans: [] },
      pendingActors: { actors: [], lastOrdinals: [], closedRanges: [], failed: [] },
      supervised: [],
    },
    deadlines: { lastNumber: 0, waiting: [] },
    trackedCalls: [],
    appRequests: [],
    lastAppRequest: 0,
    census: { created: 0 },
    actorPlacement: undefined,
  };
}

/** All actors that a state mentions. */
function actorsIn(state: unknown): Set<ActorCell> {
  const visited = new Set<unknown>();
  const actors = new Set<ActorCell>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || visited.has(value)) return;
    visited.add(value);
    if (value instanceof ActorCell) {
      actors.add(value);
      const { heldSenders, watchers, rootRef } = actorFields(value);
      return visit([heldSenders, watchers, rootRef]);
    }
    if (FarReference.has(value)) return visit(FarReference.actorOf(value));
    if (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype) Object.values(value).forEach(visit);
  };
  visit(state);
  return actors;
}

/** Reads the state of a worker, clears it, and writes it back. */
export function rewriteState(world: World, index: number): void {
  const { scheduler, isAlive } = world.workers[index]!;
  if (!isAlive) return;
  const state = scheduler.getState();
  const actors = new Map<ActorCell, ReturnType<typeof actorFields>>();
  for (const actor of actorsIn([state, scheduler.main])) actors.set(actor, actorFields(actor));
  const empty = emptyState(state);
  scheduler.setState(empty);
  for (const actor of actors.keys())
    Object.assign(actor, actorFields(new ActorCell(actor.id, actor.worker, 'unknown')));
  expect(scheduler.getState()).toEqual(empty);
  for (const [actor, fields] of actors) Object.assign(actor, fields);
  scheduler.setState(state);
  expect(scheduler.getState()).toEqual(state);
}
