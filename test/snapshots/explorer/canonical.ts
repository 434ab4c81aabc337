// Canonical text of a state; equal texts mean equal states. Objects are numbered in the order in which they are reached
// from what can still matter, and unreachable objects are left out. Roots are references held by other workers, queued
// messages and awaited answers; on the main thread also the main program.
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

export function canonicalText(cluster: ClusterState): string {
  const states = entriesOf(cluster.states).map(([worker, state]) => [worker, stateText(state)]);
  const rings = entriesOf(cluster.rings).filter(([, messages]) => messages.length > 0);
  return JSON.stringify([states, rings]);
}

function stateText(state: ModelState): string {
  const numbers = new Map<ObjectId, number>();
  const actors = new Set<ActorId>();
  const lent = new Map<string, string>();
  const objects: unknown[] = [];

  function visit(value: unknown): unknown {
    if (isPointer(value)) return visitObject(value);
    if (isReference(value)) return visitReference(value);
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    return entriesOf(value).flatMap(([key, each]) => (each === undefined ? [] : [[key, visit(each)]]));
  }
  function visitObject({ at }: Pointer): string {
    let number = numbers.get(at);
    if (number === undefined) {
      number = numbers.size + 1;
      numbers.set(at, number);
      const object = state.objects[at] as ModelObject;
      actors.add(object.owner);
      objects[number] = visit(object);
    }
    return `object ${number}`;
  }
  function visitReference(reference: ModelReference): string {
    const { ref, number } = reference;
    const key = keyOf(reference);
    if (workerOf(ref) === state.worker) {
      actors.add(ref);
      const at = state.lent[key];
      if (number !== 0 && at !== undefined && !lent.has(key)) {
        // The object may refer to itself.
        lent.set(key, '');
        lent.set(key, visitObject({ at }));
      }
    }
    return key;
  }
  const tables = (table: Record<string, ObjectId>): unknown =>
    entriesOf(table).map(([key, at]) => [key, visitObject({ at })]);

  if (state.worker === 0) actors.add('main@0');
  const roots = [
    state.module,
    state.workerLinks.toSorted(),
    state.gone,
    state.questions,
    state.passings,
    state.given.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)).map(visitReference),
    tables(state.asked),
    tables(state.passed),
    visit(state.queue),
    state.queue.map(({ to }) => actors.add(to)).length,
  ];
  for (const [id, { stage }] of entriesOf(state.actors)) if (stage === 'expected') actors.add(id);
  const found: [string, unknown][] = [];
  // The set grows during the iteration.
  for (const id of actors) {
    const actor = state.actors[id];
    if (actor === undefined) continue;
    found.push([id, visit({ ...actor, root: actor.root === null ? null : { at: actor.root } })]);
  }
  return JSON.stringify([roots, found, objects, [...lent]]);
}

function entriesOf<T>(table: { readonly [key: string]: T }): [string, T][];
function entriesOf(table: object): [string, unknown][];
function entriesOf(table: object): [string, unknown][] {
  return Object.entries(table).toSorted(byName);
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
