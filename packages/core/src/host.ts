// The port of core to its host. A realm has no effects except through the functions of `Host`. Core never imports a
// Node builtin, so that a realm can live in a `vm` context, a worker or a test.

import type { HomeActor } from './frame.ts';
import type { Tape } from './tape.ts';

export type DynamicFunctionKind = 'function' | 'async' | 'generator' | 'asyncGenerator';

export interface Host {
  /** Queues a callback in the host's microtask queue. An exception of the callback must be reported. */
  queueMicrotask(callback: () => void): void;
  /** Queues a callback in the host's tick queue (`process.nextTick`). Without it, `realm.nextTick` throws. */
  nextTick?(callback: () => void): void;
  /** Reports an eventual that was rejected and had no reaction when the job queue ran empty. */
  unhandledRejection?(eventual: object, reason: unknown): void;
  /** Reports that a reaction was added to an eventual that had been reported. */
  rejectionHandled?(eventual: object): void;
  /** Marks an eventual as reported by the recorded process. Called for each of them before the program resumes. */
  markReported?(eventual: object): void;
  /** Rejections and late reactions reported to the host that the program has not received yet, oldest first. */
  pendingReports?(): { readonly rejections: readonly object[]; readonly handledLate: readonly object[] };
  /** Whether `pendingReports` has any. */
  hasPendingReports?(): boolean;
  /** Whether a value is a proxy. Calls none of its traps. */
  isProxy?(value: unknown): boolean;
  isNativePromise?(value: unknown): boolean;
  /** Transforms and compiles the source text of `Function(…)`, `AsyncFunction(…)` and similar. */
  compileFunction?(kind: DynamicFunctionKind, parameters: string[], body: string): (...args: never[]) => unknown;
  /** Access to the internals of native objects. Without it, capture refuses objects that need it. */
  engine?: EngineView;
  contexts?: ContextView;
  /** Holder of `setTimeout` and similar for the ambient table; by default the global object. */
  timers?: object;
  /** Tape of the program's inputs, recording or replaying. */
  tape?: Tape | undefined;
}

/** Access to the host's asynchronous contexts. A context maps each storage to a value. */
export interface ContextView {
  /** Prototype of the host's `AsyncLocalStorage` objects. */
  readonly storagePrototype: object;
  isContext(value: object): boolean;
  readContext(context: object): ContextData;
  /** Makes a context. For an actor without values it always returns the same object. */
  makeContext(data: ContextData): object;
  isStorage(value: object): boolean;
  readStorage(storage: object): StorageData;
  makeStorage(data: StorageData, prototype?: object): object;
}

export interface ContextData {
  /** Actor whose code runs in the context. */
  readonly home: HomeActor;
  /** Values of the storages, in the order in which each storage first held a value. */
  readonly entries: readonly (readonly [storage: object, store: unknown])[];
}

export interface StorageData {
  name: unknown;
  defaultValue: unknown;
}

/** Internals of native objects, which JavaScript cannot read. No method runs code of the program. */
export interface EngineView {
  /**
   * Keys of a native WeakMap or WeakSet that are objects other than proxies; at most `maxCount` of them. `count` is the
   * number of all entries. A `count` below `maxCount` leaves out symbols and proxies, which the caller must test with
   * the collection's own methods.
   */
  weakKeys(
    collection: WeakMap<WeakKey, unknown> | WeakSet<WeakKey>,
    maxCount: number,
  ): { keys: object[]; count: number };
  /** Number of entries left in a native iterator of a Map or Set. At 0, V8 marks the iterator as finished. */
  entriesLeft(iterator: object): number;
  /** Target and handler of a Proxy; undefined once it is revoked. */
  proxyParts(proxy: object): { target: object; handler: object } | undefined;
  /**
   * Index of the first object, at `from` or later, whose shape differs from that of `reference`; the number of objects
   * if there is none. A shape consists of own keys with attributes, prototype and extensibility, without values.
   */
  firstDifferentShape(objects: readonly object[], reference: object, from: number): number;
  /**
   * Whether two objects have the same shape, including private members and the kind of elements. Objects of one fixed
   * shape differ only in their values and elements. Each element of a non-array is one of the keys.
   */
  sameShape(a: object, b: object): boolean;
  /** Whether no property or element of an object is in a dictionary. The object must not be a proxy. */
  hasFixedShape(object: object): boolean;
}
