/*
 * What the model is made of: data and nothing else, so that a state can be written as text, compared and gone back to. A worker has three sides:
 * what the program knows (`state`), what the protocol keeps (`writing`), and what only the oracle sees (`witness`). No side reads one to its right.
 */

/** `name@worker`: an actor never moves, so its name says where it lives. */
export type ActorId = string;
/** Of an object on its worker; never given twice. */
export type ObjectId = number;

export function workerOf(actor: ActorId): number {
  return Number(actor.slice(actor.indexOf('@') + 1));
}

// ── What the program knows ─────────────────────────────────────────────────────────────────────────────────────────────────

/** A far reference: to an actor's root (0), or to the object it has lent under a number. */
export interface ModelReference {
  readonly ref: ActorId;
  readonly number: number;
}

/** An object of the same worker. */
export interface Pointer {
  readonly at: ObjectId;
}

export type ModelValue = number | string | null | ModelReference | Pointer;

/** An object, or an eventual, in the graph of its owner. */
export interface ModelObject {
  readonly owner: ActorId;
  readonly cells: Record<string, ModelValue>;
  /** Of an eventual: its value once there is one, and what is to happen then. */
  readonly eventual?: { outcome: ModelValue | undefined; reactions: ModelReaction[] };
}

/** Whom an answer goes to: an eventual of an actor here, or the question of another worker. */
export type AnswerTarget = Pointer | { readonly worker: number; readonly question: number };

export type ModelReaction =
  /** The owner goes on, with what it has kept for then: the frame of a function that waits. */
  | { readonly does: 'method'; readonly method: string; readonly kept: readonly ModelValue[] }
  /** The outcome answers somebody, as a message. */
  | { readonly does: 'answer'; readonly replyTo: AnswerTarget }
  /** Another worker has been passed the eventual, and hears of its outcome. */
  | { readonly does: 'tell'; readonly worker: number; readonly number: number }
  /** What was sent to the eventual goes on to what it has become. */
  | { readonly does: 'send'; readonly method: string; readonly args: readonly ModelValue[] };

/** A message that waits on its worker. */
export type QueuedItem =
  | {
      readonly to: ActorId;
      readonly what: 'call';
      readonly target: ModelReference;
      readonly method: string;
      readonly args: readonly ModelValue[];
      readonly replyTo: AnswerTarget | null;
    }
  | { readonly to: ActorId; readonly what: 'settle'; readonly eventual: Pointer; readonly outcome: ModelValue }
  | { readonly to: ActorId; readonly what: 'begin'; readonly cells: Readonly<Record<string, ModelValue>> }
  | { readonly to: ActorId; readonly what: 'stop' };

/** On a ring an eventual is the number under which its outcome will come. */
export type WireValue = number | string | null | ModelReference | { readonly eventual: number };

export type Message =
  | {
      readonly what: 'call';
      readonly target: ModelReference;
      readonly method: string;
      readonly args: readonly WireValue[];
      readonly question: number | null;
    }
  | { readonly what: 'answer'; readonly question: number; readonly outcome: WireValue }
  | { readonly what: 'outcome'; readonly number: number; readonly outcome: WireValue }
  | { readonly what: 'spawn'; readonly to: ActorId; readonly cells: Readonly<Record<string, WireValue>> }
  | { readonly what: 'stop'; readonly to: ActorId }
  | { readonly what: 'watch'; readonly to: ActorId; readonly question: number };

export interface ModelActor {
  /** `expected`: others have heard of it before it is here. `coming`: its first turn waits. */
  stage: 'expected' | 'coming' | 'alive' | 'stopped';
  root: ObjectId | null;
  /** How many objects it has lent. */
  lent: number;
  /** Who wants to hear of its end. */
  watchers: AnswerTarget[];
  /** What has come for it while it is expected. */
  early: QueuedItem[];
}

export interface ModelState {
  readonly here: number;
  /** The other workers it is joined to. */
  workerLinks: number[];
  /** And those of which it has heard that they have ended. */
  gone: number[];
  /** Module state, which all actors of the worker reach. */
  module: number;
  readonly objects: Record<ObjectId, ModelObject>;
  created: number;
  readonly actors: Record<ActorId, ModelActor>;
  readonly queue: QueuedItem[];
  /** What references lead to: `actor.number`. */
  readonly lent: Record<string, ObjectId>;
  /** Of what lives here, what other workers have references to. */
  readonly given: ModelReference[];
  /** Eventuals that wait for another worker: `worker.question`. */
  readonly asked: Record<string, ObjectId>;
  questions: number;
  /** Eventuals that stand for those of another worker: `worker.number`. */
  readonly passed: Record<string, ObjectId>;
  passings: number;
}

// ── What the protocol keeps ────────────────────────────────────────────────────────────────────────────────────────────────

/** An object in a snapshot, by its number in the table of identities. */
export interface ObjectName {
  readonly named: string;
}

export type Serialized<T> = T extends Pointer
  ? ObjectName
  : T extends object
    ? { readonly [K in keyof T]: Serialized<T[K]> }
    : T;

/** What of a worker belongs to no actor alone: written at the cut itself. */
export interface Base {
  readonly workerLinks: readonly number[];
  readonly gone: readonly number[];
  readonly module: number;
  readonly given: readonly ModelReference[];
  readonly asked: Readonly<Record<string, ObjectName>>;
  readonly questions: number;
  readonly passed: Readonly<Record<string, ObjectName>>;
  readonly passings: number;
}

export interface SerializedActor {
  readonly stage: ModelActor['stage'];
  readonly root: ObjectName | null;
  readonly lent: number;
  readonly watchers: readonly Serialized<AnswerTarget>[];
  readonly early: readonly Serialized<QueuedItem>[];
}

/** A worker's part of one snapshot, as far as it has been written. */
export interface Part {
  readonly phase: number;
  base: Base | null;
  /** By their numbers in the table of identities. */
  readonly things: Record<string, Serialized<ModelObject>>;
  /** Those that were found; null if they wait to be written. */
  readonly actors: Record<ActorId, SerializedActor | null>;
  readonly lent: Record<string, ObjectName>;
  /** What others mention of actors that wait. */
  readonly deferred: Record<ActorId, ObjectId[]>;
  readonly queue: Serialized<QueuedItem>[];
  /** How many messages of the queue were there at the cut and have not been taken; how many of these are written. */
  end: number;
  ahead: number;
  /** What was on its way to this worker, by whom it came from. */
  readonly underWay: Record<number, Message[]>;
  /** From whom a marker is to come. */
  awaits: readonly number[];
}

export interface SnapshotWriting {
  phase: number;
  /** In which phase what comes next from a worker was sent. */
  readonly lossesSeen: Record<number, number>;
  /** In which phase each actor was made. */
  readonly born: Record<ActorId, number>;
  /** Snapshots that are being written. */
  open: Part[];
  /** And parts of those that are whole here, by phase: as numbers under which they are kept. */
  readonly whole: Record<number, number>;
  /** Phases of those that can no more become whole, since a worker has ended. */
  readonly givenUp: number[];
  /** Markers that have not been put on the rings; none, unless the protocol is one with a fault. */
  owed: number;
}

// ── What only the oracle sees ──────────────────────────────────────────────────────────────────────────────────────────────

/** A full copy of a worker at its cut. */
export interface CutState {
  readonly state: ModelState;
  /** How many messages of each worker had been taken, and all that had been sent to each. */
  readonly taken: Readonly<Record<number, number>>;
  readonly sent: Readonly<Record<number, readonly Message[]>>;
}

export interface Witness {
  readonly taken: Record<number, number>;
  readonly sent: Record<number, Message[]>;
  /** By phase: numbers under which a `Cut` is kept. */
  readonly cuts: Record<number, number>;
}

export interface ModelWorker {
  readonly state: ModelState;
  readonly writing: SnapshotWriting;
  readonly witness: Witness;
}

/** What stands on a ring. `sentIn` is for the oracle. */
export type RingItem = { readonly marker: number } | { readonly message: Message; readonly sentIn: number };

export function createState(here: number, workerLinks: number[]): ModelState {
  return {
    here,
    workerLinks,
    gone: [],
    module: 0,
    objects: {},
    created: 0,
    actors: {},
    queue: [],
    lent: {},
    given: [],
    asked: {},
    questions: 0,
    passed: {},
    passings: 0,
  };
}

/** A worker that begins in a phase. */
export function createWorker(state: ModelState, phase: number): ModelWorker {
  const born = Object.fromEntries(Object.keys(state.actors).map((actor) => [actor, phase]));
  return {
    state,
    writing: { phase, lossesSeen: {}, born, open: [], whole: {}, givenUp: [], owed: 0 },
    witness: { taken: {}, sent: {}, cuts: {} },
  };
}

export function keyOf({ ref, number }: ModelReference): string {
  return `${ref}.${number}`;
}

export function isReference(value: unknown): value is ModelReference {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'ref');
}

export function isPointer(value: unknown): value is Pointer {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'at');
}
