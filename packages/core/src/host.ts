// What core needs of the world outside: a realm is pure but for the functions in `Host`. Core never imports a Node builtin,
// so that a realm can live inside a `vm` context, a worker or a test.

import type { HomeActor } from './frame.ts';
import type { Tape } from './tape.ts';

export type DynamicFunctionKind = 'function' | 'async' | 'generator' | 'asyncGenerator';

export interface Host {
  /** Queues a callback in the surrounding microtask queue. What the callback throws must be reported, not lost. */
  queueMicrotask(callback: () => void): void;
  /** Queues a callback in the surrounding tick queue (`process.nextTick`). Without one, `realm.nextTick` is refused. */
  nextTick?(callback: () => void): void;
  /** `eventual` was rejected and nobody had asked for the outcome when the job queue ran empty. */
  unhandledRejection?(eventual: object, reason: unknown): void;
  /** Somebody asked for the outcome of an eventual that had been reported. */
  rejectionHandled?(eventual: object): void;
  /** `eventual` was reported in the process that the program goes on from: before it goes on, once for each. */
  markReported?(eventual: object): void;
  /** What the first two were called for and the program has not been told of yet, oldest first. */
  pendingReports?(): { readonly rejections: readonly object[]; readonly handledLate: readonly object[] };
  /** Whether there is any of those. */
  hasPendingReports?(): boolean;
  /** What an object is to the engine, asked without any trap being called. */
  isProxy?(value: unknown): boolean;
  isNativePromise?(value: unknown): boolean;
  /** Compiles `Function(…)`, `AsyncFunction(…)` and their like from source text, transformed. */
  compileFunction?(kind: DynamicFunctionKind, parameters: string[], body: string): (...args: never[]) => unknown;
  /** What only the engine knows of its own objects; without it, capture refuses what it would have to ask for. */
  engine?: EngineView;
  contexts?: ContextView;
  /** Has the properties that `setTimeout` and its like are to be in the ambient table; without it they are the global object's. */
  timers?: object;
  /** Where what comes from outside is written down, or comes from if this is a run again. */
  tape?: Tape | undefined;
}

/** Asynchronous contexts as data. A context is what `trackContexts` is given, a storage what keys the values in it. */
export interface ContextView {
  /** Of the host's storages. */
  readonly storagePrototype: object;
  isContext(value: object): boolean;
  readContext(context: object): ContextData;
  /** The context of somebody's in which nothing is stored is one, any other a new one each time. */
  makeContext(data: ContextData): object;
  isStorage(value: object): boolean;
  readStorage(storage: object): StorageData;
  makeStorage(data: StorageData, prototype?: object): object;
}

export interface ContextData {
  /** Whose code runs in it. */
  readonly home: HomeActor;
  /** In the order in which the storages first held a value. */
  readonly entries: readonly (readonly [storage: object, store: unknown])[];
}

export interface StorageData {
  name: unknown;
  defaultValue: unknown;
}

/** What capture asks of the engine, since no JavaScript can tell. Asking runs no code of the program. */
export interface EngineView {
  /**
   * The keys of a native WeakMap or WeakSet that are objects but no proxies; if there are more than `maxCount`, some of them.
   * `count` is the number of all entries, but for symbols and proxies among less than `maxCount`: whether one of those is a key
   * has to be asked of the collection.
   */
  weakKeys(
    collection: WeakMap<WeakKey, unknown> | WeakSet<WeakKey>,
    maxCount: number,
  ): { keys: object[]; count: number };
  /** How many entries a native iterator of a Map or Set has left. V8 counts one that has none as finished from then on. */
  entriesLeft(iterator: object): number;
  /** What a Proxy stands for; nothing once it is revoked. */
  proxyParts(proxy: object): { target: object; handler: object } | undefined;
  /**
   * The place, from `from` on, of the first of `objects` that has not the shape of `reference`: own keys and their attributes,
   * prototype, extensibility, but no values. Their number, if there is none.
   */
  firstDifferentShape(objects: readonly object[], reference: object, from: number): number;
  /**
   * Whether both have one shape, private members and the kind of elements included. If it is fixed, they differ in nothing but values
   * and in which elements there are, and each element of an object that is no array is one of its keys.
   */
  sameShape(a: object, b: object): boolean;
  /** Whether the shape of the object, which is no proxy, is fixed: neither its properties nor its elements are kept in a dictionary. */
  hasFixedShape(object: object): boolean;
}
