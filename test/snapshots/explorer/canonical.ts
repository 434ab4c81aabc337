/*
 * When two states are the same: objects are numbered in the order in which they are met from what can still matter, and what nothing leads to
 * is left out. What other workers have references to, what waits and what is waited for can still matter; on the main thread, the main
 * program.
 */
import {
  isPointer,
  isReference,
  keyOf,
  workerOf,
  type ActorId,
  type ObjectId,
  type Pointer,
  type ModelReference,
  type ModelState,
  type ModelObject,
} from './model.ts';
import type { ClusterState } from './restore.ts';

export function canonicalText(moment: ClusterState): string {
  const states = entriesOf(moment.states).map(([worker, state]) => [worker, stateText(state)]);
  const rings = entriesOf(moment.rings).filter(([, messages]) => messages.length > 0);
  return JSON.stringify([states, rings]);
}

function stateText(state: ModelState): string {
  const numbers = new Map<ObjectId, number>();
  const actors = new Set<ActorId>();
  const lent = new Map<string, string>();
  const things: unknown[] = [];

  function met(value: unknown): unknown {
    if (isPointer(value)) return metObject(value);
    if (isReference(value)) return metReference(value);
    if (Array.isArray(value)) return value.map(met);
    if (typeof value !== 'object' || value === null) return value;
    return entriesOf(value).flatMap(([key, each]) => (each === undefined ? [] : [[key, met(each)]]));
  }
  function metObject({ at }: Pointer): string {
    let number = numbers.get(at);
    if (number === undefined) {
      number = numbers.size + 1;
      numbers.set(at, number);
      const thing = state.objects[at] as ModelObject;
      actors.add(thing.owner);
      things[number] = met(thing);
    }
    return `object ${number}`;
  }
  function metReference(reference: ModelReference): string {
    const { ref, number } = reference;
    const key = keyOf(reference);
    if (workerOf(ref) === state.here) {
      actors.add(ref);
      const at = state.lent[key];
      if (number !== 0 && at !== undefined && !lent.has(key)) {
        // Its object may lead back to it.
        lent.set(key, '');
        lent.set(key, metObject({ at }));
      }
    }
    return key;
  }
  const tables = (table: Record<string, ObjectId>): unknown =>
    entriesOf(table).map(([key, at]) => [key, metObject({ at })]);

  if (state.here === 0) actors.add('main@0');
  const roots = [
    state.module,
    state.workerLinks.toSorted(),
    state.gone,
    state.questions,
    state.passings,
    state.given.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).map(metReference),
    tables(state.asked),
    tables(state.passed),
    met(state.queue),
    state.queue.map(({ to }) => actors.add(to)).length,
  ];
  for (const [id, { stage }] of entriesOf(state.actors)) if (stage === 'expected') actors.add(id);
  const found: [string, unknown][] = [];
  // Grows while it is gone through.
  for (const id of actors) {
    const actor = state.actors[id];
    if (actor === undefined) continue;
    found.push([id, met({ ...actor, root: actor.root === null ? null : { at: actor.root } })]);
  }
  return JSON.stringify([roots, found, things, [...lent]]);
}

function entriesOf<T>(table: { readonly [key: string]: T }): [string, T][];
function entriesOf(table: object): [string, unknown][];
function entriesOf(table: object): [string, unknown][] {
  return Object.entries(table).toSorted(byName);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
