// Restores a state of the model from the parts of one snapshot, as docs/internals/snapshots.md describes. The pieces of a part
// share one identity table, so deferred references resolve. Messages in flight return to the rings.
import {
  createState,
  type Message,
  type ObjectName,
  type ObjectId,
  type Part,
  type ModelState,
  type ModelObject,
} from './model.ts';

/** Program at a cut: the state of each worker, and the messages on each ring by `from>to`. */
export interface ClusterState {
  readonly states: Readonly<Record<number, ModelState>>;
  readonly rings: Readonly<Record<string, readonly Message[]>>;
}

/** Restores the workers that were linked to the main thread at its cut. */
export function restore(parts: Readonly<Record<number, Part>>): ClusterState {
  const states: Record<number, ModelState> = {};
  const rings: Record<string, readonly Message[]> = {};
  for (const worker of [0, ...(parts[0]?.base?.workerLinks ?? [])]) {
    const part = parts[worker];
    if (part === undefined) throw new Error(`worker ${worker} has no part in the snapshot`);
    states[worker] = restoreState(worker, part);
    for (const [from, messages] of Object.entries(part.inFlight)) rings[`${from}>${worker}`] = messages;
  }
  return { states, rings };
}

function restoreState(worker: number, part: Part): ModelState {
  const { base } = part;
  if (base === null) throw new Error(`worker ${worker} has written no base`);
  const numbers = new Map<string, ObjectId>();
  for (const name of Object.keys(part.objects)) numbers.set(name, numbers.size + 1);

  /** Replaces object names with pointers. */
  function read(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(read);
    if (typeof value !== 'object' || value === null) return value;
    if (!('objectNumber' in value)) return mapValues(value, read);
    return { at: objectOf(value as ObjectName) };
  }
  function objectOf({ objectNumber }: ObjectName): ObjectId {
    const at = numbers.get(objectNumber);
    if (at === undefined) throw new Error(`worker ${worker} refers to object ${objectNumber}, which was not written`);
    return at;
  }
  const objects = mapValues(part.objects, read) as Record<string, ModelObject>;

  const state: ModelState = {
    ...createState(worker, [...base.workerLinks]),
    gone: [...base.gone],
    module: base.module,
    objects: Object.fromEntries(
      Object.entries(objects).map(([name, object]) => [objectOf({ objectNumber: name }), object]),
    ),
    created: numbers.size,
    queue: read(part.queue) as ModelState['queue'],
    lent: mapValues(part.lent, objectOf),
    given: [...base.given],
    asked: mapValues(base.asked, objectOf),
    questions: base.questions,
    passed: mapValues(base.passed, objectOf),
    passings: base.passings,
  };
  for (const [id, actor] of Object.entries(part.actors)) {
    if (actor === null) throw new Error(`worker ${worker} has not written ${id}`);
    const { stage, lent } = actor;
    state.actors[id] = {
      stage,
      root: actor.root === null ? null : objectOf(actor.root),
      lent,
      watchers: read(actor.watchers) as ModelState['actors'][string]['watchers'],
      early: read(actor.early) as ModelState['actors'][string]['early'],
    };
  }
  return state;
}

function mapValues<T, U>(table: { readonly [key: string]: T }, map: (each: T) => U): Record<string, U>;
function mapValues(table: object, map: (each: unknown) => unknown): Record<string, unknown>;
function mapValues(table: object, map: (each: never) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(table).map(([key, each]) => [key, map(each as never)]));
}
