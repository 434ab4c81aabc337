// The port of core to its host. Apart from the functions in `Host`, a realm is pure. Core never imports a Node builtin,
// so that a realm can live in a `vm` context, a worker or a test.

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
  /** Reports a reaction on an eventual that has been reported. */
  rejectionHandled?(eventual: object): void;
  /** Marks an eventual that the recorded process had reported. Called for each of them before the program resumes. */
  markReported?(eventual: object): void;
  /** Reports of the first two functions that the program has not received yet, oldest first. */
  pendingReports?(): { readonly rejections: readonly object[]; readonly handledLate: readonly object[] };
  /** Whether there are such reports. */
  hasPendingReports?(): boolean;
  /** Engine's classification of an object, determined without calling any trap. */
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

/** Asynchronous contexts as data. `trackContexts` receives a context; a storage is a key of its values. */
export interface ContextView {
  /** Prototype of the host's storages. */
  readonly storagePrototype: object;
  isContext(value: object): boolean;
  readContext(context: object): ContextData;
  /** Makes a context. The empty context of an actor is always the same object. */
  makeContext(data: ContextData): object;
  isStorage(value: object): boolean;
  readStorage(storage: object): StorageData;
  makeStorage(data: StorageData, prototype?: object): object;
}

export interface ContextData {
  /** Actor whose code runs in the context. */
  readonly home: HomeActor;
  /** Ordered by the time at which each storage first held a value. */
  readonly entries: readonly (readonly [storage: object, store: unknown])[];
}

export interface StorageData {
  name: unknown;
  defaultValue: unknown;
}

/** Internals of native objects, which JavaScript cannot read. No method runs code of the program. */
export interface EngineView {
  /**
   * Keys of a native WeakMap or WeakSet that are objects other than proxies; at most `maxCount` of them.
   * `count` is the number of all entries. If it is below `maxCount`, it leaves out symbols and proxies: the caller must
   * test those with the collection's own methods.
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
   * Index, from `from` on, of the first object whose shape differs from that of `reference`; the number of objects if
   * there is none. A shape is own keys with attributes, prototype and extensibility, without values.
   */
  firstDifferentShape(objects: readonly object[], reference: object, from: number): number;
  /**
   * Whether both objects have one shape, including private members and the kind of elements. If the shape is fixed,
   * they differ only in values and in which elements exist, and each element of a non-array is one of its keys.
   */
  sameShape(a: object, b: object): boolean;
  /** Whether the shape of an object is fixed: no property or element is in a dictionary. It must not be a proxy. */
  hasFixedShape(object: object): boolean;
}
