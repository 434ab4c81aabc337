// Data types of the model: plain data only, so that a state can be written as text, compared and restored. A worker has
// three parts: what the program knows (`state`), what the protocol keeps (`writing`), and what only the oracle sees
// (`witness`). None of them reads one to its right.

/** `name@worker`: an actor never moves, so its name includes its worker. */
export type ActorId = string;
/** Number of an object on its worker; never reused. */
export type ObjectId = number;

export function workerOf(actor: ActorId): number {
  return Number(actor.slice(actor.indexOf('@') + 1));
}

// ── Program state
// ──────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Far reference to an actor's root (number 0) or to a lent object. */
export interface ModelReference {
  readonly ref: ActorId;
  readonly number: number;
}

/** Reference to an object of the same worker. */
export interface Pointer {
  readonly at: ObjectId;
}

export type ModelValue = number | string | null | ModelReference | Pointer;

/** Object or eventual in the graph of its owner. */
export interface ModelObject {
  readonly owner: ActorId;
  readonly cells: Record<string, ModelValue>;
  /** For an eventual: its outcome, if settled, and its reactions. */
  readonly eventual?: { outcome: ModelValue | undefined; reactions: ModelReaction[] };
}

/** Receiver of an answer: an eventual of a local actor, or a question of another worker. */
export type AnswerTarget = Pointer | { readonly worker: number; readonly question: number };

export type ModelReaction =
  /** The owner resumes with a method. `kept` is its suspended frame. */
  | { readonly kind: 'method'; readonly method: string; readonly kept: readonly ModelValue[] }
  /** The outcome answers a call. */
  | { readonly kind: 'answer'; readonly replyTo: AnswerTarget }
  /** The outcome is sent to a worker that was passed the eventual. */
  | { readonly kind: 'tell'; readonly worker: number; readonly number: number }
  /** A pipelined message is sent to the outcome. */
  | { readonly kind: 'send'; readonly method: string; readonly args: readonly ModelValue[] };

/** Message queued on its worker. */
export type QueuedItem =
  | {
      readonly to: ActorId;
      readonly kind: 'call';
      readonly target: ModelReference;
      readonly method: string;
      readonly args: readonly ModelValue[];
      readonly replyTo: AnswerTarget | null;
    }
  | { readonly to: ActorId; readonly kind: 'settle'; readonly eventual: Pointer; readonly outcome: ModelValue }
  | { readonly to: ActorId; readonly kind: 'begin'; readonly cells: Readonly<Record<string, ModelValue>> }
  | { readonly to: ActorId; readonly kind: 'stop' };

/** Value on a ring. An eventual is the number under which its outcome will arrive. */
export type WireValue = number | string | null | ModelReference | { readonly eventual: number };

export type Message =
  | {
      readonly kind: 'call';
      readonly target: ModelReference;
      readonly method: string;
      readonly args: readonly WireValue[];
      readonly question: number | null;
    }
  | { readonly kind: 'answer'; readonly question: number; readonly outcome: WireValue }
  | { readonly kind: 'outcome'; readonly number: number; readonly outcome: WireValue }
  | { readonly kind: 'spawn'; readonly to: ActorId; readonly cells: Readonly<Record<string, WireValue>> }
  | { readonly kind: 'stop'; readonly to: ActorId }
  | { readonly kind: 'watch'; readonly to: ActorId; readonly question: number };

export interface ModelActor {
  /** `expected`: mentioned to this worker before its spawn has arrived. `coming`: its first turn is queued. */
  stage: 'expected' | 'coming' | 'alive' | 'stopped';
  root: ObjectId | null;
  /** Number of objects that it has lent. */
  lent: number;
  /** Receivers of the news that it has ended. */
  watchers: AnswerTarget[];
  /** Messages that arrived while it was expected. */
  early: QueuedItem[];
}

export interface ModelState {
  readonly worker: number;
  /** Linked workers. */
  workerLinks: number[];
  /** Linked workers that are known to have ended. */
  gone: number[];
  /** Module state, shared by all actors of the worker. */
  module: number;
  readonly objects: Record<ObjectId, ModelObject>;
  created: number;
  readonly actors: Record<ActorId, ModelActor>;
  readonly queue: QueuedItem[];
  /** Lent objects, by `actor.number`. */
  readonly lent: Record<string, ObjectId>;
  /** Local references that other workers hold. */
  readonly given: ModelReference[];
  /** Eventuals that wait for an answer, by `worker.question`. */
  readonly asked: Record<string, ObjectId>;
  questions: number;
  /** Local copies of eventuals of other workers, by `worker.number`. */
  readonly passed: Record<string, ObjectId>;
  passings: number;
}

// ── Protocol state
// ─────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Object in a snapshot, by its number in the identity table. */
export interface ObjectName {
  readonly objectNumber: string;
}

export type Serialized<T> = T extends Pointer
  ? ObjectName
  : T extends object
    ? { readonly [K in keyof T]: Serialized<T[K]> }
    : T;

/** State of a worker that belongs to no single actor; written at the cut itself. */
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
  /** Objects by their numbers in the identity table. */
  readonly objects: Record<string, Serialized<ModelObject>>;
  /** Discovered actors; null until they are written. */
  readonly actors: Record<ActorId, SerializedActor | null>;
  readonly lent: Record<string, ObjectName>;
  /** Objects of unwritten actors that other pieces mention. */
  readonly deferred: Record<ActorId, ObjectId[]>;
  readonly queue: Serialized<QueuedItem>[];
  /** `end`: messages that were queued at the cut and have not been taken. `ahead`: how many of these are written. */
  end: number;
  ahead: number;
  /** Messages in flight to this worker, by sender. */
  readonly inFlight: Record<number, Message[]>;
  /** Workers whose markers are awaited. */
  awaits: readonly number[];
}

export interface SnapshotWriting {
  phase: number;
  /** Phase in which the next item of each ring was sent. */
  readonly senderPhases: Record<number, number>;
  /** Phase in which each actor was created. */
  readonly born: Record<ActorId, number>;
  /** Parts that are being written. */
  open: Part[];
  /** Storage numbers of complete parts, by phase. */
  readonly whole: Record<number, number>;
  /** Phases whose snapshots cannot be completed because a worker has ended. */
  readonly givenUp: number[];
  /** Number of markers not yet put on the rings; nonzero only with a fault. */
  unsentMarkers: number;
}

// ── Oracle state
// ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Full copy of a worker at its cut. */
export interface CutState {
  readonly state: ModelState;
  /** Number of messages taken from each worker, and all messages sent to each. */
  readonly taken: Readonly<Record<number, number>>;
  readonly sent: Readonly<Record<number, readonly Message[]>>;
}

export interface Witness {
  readonly taken: Record<number, number>;
  readonly sent: Record<number, Message[]>;
  /** Storage numbers of `CutState`s, by phase. */
  readonly cuts: Record<number, number>;
}

export interface ModelWorker {
  readonly state: ModelState;
  readonly writing: SnapshotWriting;
  readonly witness: Witness;
}

/** Item on a ring. `sentIn` is for the oracle. */
export type RingItem = { readonly marker: number } | { readonly message: Message; readonly sentIn: number };

export function createState(worker: number, workerLinks: number[]): ModelState {
  return {
    worker,
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

/** Creates a worker that starts in a phase. */
export function createWorker(state: ModelState, phase: number): ModelWorker {
  const born = Object.fromEntries(Object.keys(state.actors).map((actor) => [actor, phase]));
  return {
    state,
    writing: { phase, senderPhases: {}, born, open: [], whole: {}, givenUp: [], unsentMarkers: 0 },
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
