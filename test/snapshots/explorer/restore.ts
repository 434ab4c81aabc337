/*
 * A state of the model from the parts of one snapshot, as docs/snapshots.md has it: pieces are read, debts are paid since all of a part has
 * one table of identities, and what was under way stands on the rings again.
 */
import {
  createState,
  type Message,
  type ObjectName,
  type ObjectId,
  type Part,
  type ModelState,
  type ModelObject,
} from './model.ts';

/** A program at a cut: what each worker knows, and what is on the ring from one (first) to another. */
export interface ClusterState {
  readonly states: Readonly<Record<number, ModelState>>;
  readonly rings: Readonly<Record<string, readonly Message[]>>;
}

/** The workers of a snapshot are those the main thread had at its cut. */
export function restore(parts: Readonly<Record<number, Part>>): ClusterState {
  const states: Record<number, ModelState> = {};
  const rings: Record<string, readonly Message[]> = {};
  for (const worker of [0, ...(parts[0]?.base?.workerLinks ?? [])]) {
    const part = parts[worker];
    if (part === undefined) throw new Error(`worker ${worker} has no part in it`);
    states[worker] = restoreState(worker, part);
    for (const [from, messages] of Object.entries(part.underWay)) rings[`${from}>${worker}`] = messages;
  }
  return { states, rings };
}

function restoreState(here: number, part: Part): ModelState {
  const { base } = part;
  if (base === null) throw new Error(`worker ${here} has written no base`);
  const numbers = new Map<string, ObjectId>();
  for (const name of Object.keys(part.things)) numbers.set(name, numbers.size + 1);

  /** The same with objects in the place of their names. */
  function read(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(read);
    if (typeof value !== 'object' || value === null) return value;
    if (!('named' in value)) return mapValues(value, read);
    return { at: objectOf(value as ObjectName) };
  }
  function objectOf({ named }: ObjectName): ObjectId {
    const at = numbers.get(named);
    if (at === undefined) throw new Error(`worker ${here} mentions object ${named}, which stands nowhere`);
    return at;
  }
  const objects = mapValues(part.things, read) as Record<string, ModelObject>;

  const state: ModelState = {
    ...createState(here, [...base.workerLinks]),
    gone: [...base.gone],
    module: base.module,
    objects: Object.fromEntries(Object.entries(objects).map(([name, thing]) => [objectOf({ named: name }), thing])),
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
    if (actor === null) throw new Error(`worker ${here} has not written ${id}`);
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
