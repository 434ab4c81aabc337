// Asynchronous contexts of transformed code: from the first use of `AsyncLocalStorage` on, core keeps Node's own
// snapshot of the context with each waiting reaction, frame and timer. Programs without it pay nothing.
//
// Node's snapshot is a function over a resource. Capture reads it as a list of storages and their values, by reading
// each storage inside of it. Therefore the storages that ever held a value are remembered, weakly and in order. Equal
// contexts share one snapshot: a storage of Turntable holds the current snapshot until a value changes. A second
// storage holds the home of the running code, on threads that need it, so that callbacks from Node have a home.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { types } from 'node:util';
import { ROOT_HOME, type ContextRunner, type ContextView, type HomeActor, type Realm } from '@turntable/core';
import { inspectContext } from '@turntable/loader';
import { Stamp } from '../timers/stamp.ts';

type AnyMethod = (this: unknown, ...args: unknown[]) => unknown;
type Storage = AsyncLocalStorage<unknown>;

const { isProxy } = types;
const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const prototype = AsyncLocalStorage.prototype as unknown as Record<string, AnyMethod>;
const { getStore: nativeGetStore, run: nativeRun } = prototype as { getStore: AnyMethod; run: AnyMethod };
const nativeName = getOwnPropertyDescriptor(prototype, 'name')?.get as AnyMethod;
const { runInAsyncScope } = AsyncResource.prototype;

/** Does the same as `AsyncLocalStorage.snapshot`, which the program may replace. */
function createSnapshot(beforeSnapshot: (runner: ContextRunner) => void = () => {}): ContextRunner {
  const runner: ContextRunner = (fn, target, kind, value) =>
    apply(runInAsyncScope, resource, [fn, undefined, target, kind, value]);
  beforeSnapshot(runner);
  const resource = new AsyncResource('snapshot');
  return runner;
}

/** The snapshot of the context that code runs in. */
const snapshotStorage = new AsyncLocalStorage<ContextRunner | undefined>() as unknown as Storage;
/** The home of the code that runs in the context. */
const homeStorage = new AsyncLocalStorage<HomeActor>() as unknown as Storage;
const enterWith = prototype['enterWith'] as AnyMethod;

function currentHome(): HomeActor | undefined {
  return apply(nativeGetStore, homeStorage, []) as HomeActor | undefined;
}

function setCurrentSnapshot(runner: ContextRunner | undefined): void {
  apply(enterWith, snapshotStorage, [runner]);
}

function currentSnapshot(): ContextRunner | undefined {
  return apply(nativeGetStore, snapshotStorage, []) as ContextRunner | undefined;
}

/** A snapshot with the values that it contains. Waiting code with the same values shares it. */
class SnapshotContext extends Stamp {
  #storages: readonly WeakRef<Storage>[];
  #values: readonly unknown[];
  #home: HomeActor | undefined;
  #hasValues: boolean;
  constructor(runner: ContextRunner, storages: readonly WeakRef<Storage>[], values: readonly unknown[]) {
    super(runner);
    this.#storages = storages;
    this.#values = values;
    this.#home = currentHome();
    this.#hasValues = storages.length <= MAX_COMPARED_STORAGES;
  }
  static homeOf(runner: object): HomeActor | undefined {
    return #home in runner ? runner.#home : undefined;
  }
  /** The values of the snapshot; undefined if not all are known. */
  static storesIn(runner: object): readonly (readonly [storage: Storage, store: unknown])[] | undefined {
    if (!(#values in runner) || !runner.#hasValues) return undefined;
    const values = runner.#values;
    const stores: [Storage, unknown][] = [];
    for (let i = 0; i < values.length; i++) {
      const storage = apply(deref, runner.#storages[i], []) as Storage | undefined;
      if (storage !== undefined) stores.push([storage, values[i]]);
    }
    return stores;
  }
  static is(value: object): boolean {
    return #values in value;
  }
  static isCurrent(runner: object, storages: readonly WeakRef<Storage>[]): boolean {
    if (!(#values in runner)) return false;
    const values = runner.#values;
    if (runner.#storages !== storages || values.length !== storages.length) return false;
    if (runner.#home !== currentHome()) return false;
    for (let i = 0; i < values.length; i++) if (storeOf(storages[i]) !== values[i]) return false;
    return true;
  }
}

/** The engine's own method. The program uses an instrumented one. */
const { deref } = WeakRef.prototype as { deref: AnyMethod };

function storeOf(ref: WeakRef<Storage> | undefined): unknown {
  const storage = apply(deref, ref, []);
  return storage === undefined ? undefined : apply(nativeGetStore, storage, []);
}

/** With more storages, a comparison costs more than a snapshot. */
const MAX_COMPARED_STORAGES = 16;

/** Whether a value is a storage. Unlike `instanceof`, does not call the traps of a proxy. */
function inheritsFromStorage(value: object): boolean {
  for (let holder: object | null = value; holder !== null && !isProxy(holder); holder = getPrototypeOf(holder))
    if (holder === prototype) return true;
  return false;
}

export interface AsyncContexts extends ContextView {
  attachTo(realm: Realm): void;
  /** Returns the context of a home in which no storage has a value. */
  contextOf(home: HomeActor): ContextRunner;
  /** Gives the running code a home, until the code ends. */
  enterHome(home: HomeActor): void;
  homeOf(context: object): HomeActor | undefined;
  /** The home of the running code, if homes are tracked. */
  currentHome(): HomeActor | undefined;
  onFirstUse(callback: (() => void) | undefined): void;
}

export function createAsyncContexts(): AsyncContexts {
  let onUse: (() => void) | undefined;
  const knownStorages = new WeakSet<object>();
  let storages: WeakRef<Storage>[] = [];
  let startTracking = (): void => {};
  /** The context before the program starts, without values. */
  const emptySnapshot = createSnapshot();

  /** The context that was entered or read last. */
  let lastSnapshot: ContextRunner = emptySnapshot;

  function currentContext(): ContextRunner {
    const runner = currentSnapshot();
    if (runner !== undefined) return (lastSnapshot = runner);
    // Node itself has entered the context, which may have the values of the last snapshot.
    if (storages.length <= MAX_COMPARED_STORAGES && SnapshotContext.isCurrent(lastSnapshot, storages))
      return lastSnapshot;
    return (lastSnapshot = newContext());
  }

  function enterContext(context: ContextRunner): boolean {
    lastSnapshot = context;
    return currentSnapshot() === context;
  }

  function newContext(): ContextRunner {
    const runner = createSnapshot(setCurrentSnapshot);
    new SnapshotContext(runner, storages, storages.length <= MAX_COMPARED_STORAGES ? storages.map(storeOf) : []);
    return runner;
  }

  function rememberStorage(storage: object): void {
    knownStorages.add(storage);
    if (storages.length >= 64 && (storages.length & (storages.length - 1)) === 0)
      storages = storages.filter((ref) => ref.deref() !== undefined);
    storages.push(new WeakRef(storage as Storage));
  }

  const storeOfContext = (context: ContextRunner, storage: object): unknown => {
    let store: unknown;
    inspectContext(() => context(() => (store = apply(nativeGetStore, storage, [])), undefined, 0, undefined));
    return store;
  };

  /** The context of code of no actor, without values. Created on first use. */
  let rootContext: ContextRunner | undefined;

  /** Context of a home without values. Kept on the home, because a weak table would burden the garbage collector. */
  function emptyContextOf(home: HomeActor): ContextRunner {
    if (home === ROOT_HOME) return (rootContext ??= createEmptyContext(home));
    return (home.ownContext ??= createEmptyContext(home)) as ContextRunner;
  }

  function isEmptyContextOf(home: HomeActor, context: ContextRunner): boolean {
    return context === (home === ROOT_HOME ? rootContext : home.ownContext);
  }

  function createEmptyContext(home: HomeActor): ContextRunner {
    let context: ContextRunner | undefined;
    const enter = (): void => {
      apply(enterWith, homeStorage, [home]);
      context = newContext();
    };
    emptySnapshot(enter, undefined, 0, undefined);
    return context as unknown as ContextRunner;
  }

  function attachTo(realm: Realm): void {
    // `run`, `exit` and `withScope` call this method, so replacing it suffices for every way to enter a context.
    const descriptor = getOwnPropertyDescriptor(prototype, 'enterWith') as PropertyDescriptor;
    // If another realm exists, this is that realm's replacement, which remembers storages too.
    const nativeEnterWith = descriptor.value as AnyMethod;
    const patchedEnterWith = {
      enterWith(this: object, store: unknown): unknown {
        const result = apply(nativeEnterWith, this, [store]);
        if (currentSnapshot() !== undefined) setCurrentSnapshot(undefined);
        if (!knownStorages.has(this)) rememberStorage(this);
        return result;
      },
    }.enterWith;
    defineProperty(prototype, 'enterWith', { ...descriptor, value: patchedEnterWith });

    const watchedMethods = new Map<string, { descriptor: PropertyDescriptor; watched: AnyMethod }>();
    startTracking = (): void => {
      for (const [name, { descriptor, watched }] of watchedMethods) {
        // Another realm may have replaced the method since.
        if (prototype[name] === watched) defineProperty(prototype, name, descriptor);
      }
      watchedMethods.clear();
      const homeOf = (runner: object): HomeActor | undefined => SnapshotContext.homeOf(runner);
      realm.trackContexts(currentContext, enterContext, homeOf, emptyContextOf, isEmptyContextOf);
    };
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const descriptor = getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
      const nativeMethod = descriptor.value as unknown;
      if (typeof nativeMethod !== 'function' || name === 'constructor' || name === 'getStore') continue;
      const watched: AnyMethod = {
        [name](...args: unknown[]): unknown {
          onUse?.();
          startTracking();
          return apply(nativeMethod as AnyMethod, this, args);
        },
      }[name] as AnyMethod;
      watchedMethods.set(name, { descriptor, watched });
      defineProperty(prototype, name, { ...descriptor, value: watched });
    }
  }

  return {
    attachTo,
    onFirstUse(callback) {
      onUse = callback;
    },
    contextOf(home) {
      startTracking();
      return emptyContextOf(home);
    },
    enterHome(home) {
      startTracking();
      apply(enterWith, homeStorage, [home]);
      setCurrentSnapshot(undefined);
    },
    homeOf: (context) => SnapshotContext.homeOf(context),
    currentHome,
    storagePrototype: prototype,
    isContext: (value) => SnapshotContext.is(value),
    isStorage(value) {
      if (!inheritsFromStorage(value)) return false;
      try {
        apply(nativeName, value, []);
        return true;
      } catch {
        return false;
      }
    },
    readStorage: (storage) => ({
      name: apply(nativeName, storage, []),
      defaultValue: storeOfContext(emptySnapshot, storage),
    }),
    makeStorage({ name, defaultValue }, storagePrototype) {
      const newTarget = Object.assign(function () {}, { prototype: storagePrototype ?? prototype });
      const options = { ...(name === '' ? {} : { name }), ...(defaultValue === undefined ? {} : { defaultValue }) };
      return construct(AsyncLocalStorage, [options], newTarget) as object;
    },
    readContext(context) {
      const runner = context as ContextRunner;
      const knownStores = SnapshotContext.storesIn(context);
      const stores =
        knownStores ??
        storages.flatMap((ref): [Storage, unknown][] => {
          const storage = apply(deref, ref, []) as Storage | undefined;
          return storage === undefined ? [] : [[storage, storeOfContext(runner, storage)]];
        });
      const home =
        knownStores === undefined
          ? (storeOfContext(runner, homeStorage) as HomeActor | undefined)
          : SnapshotContext.homeOf(context);
      const entries = stores.filter(([storage, store]) => !Object.is(store, storeOfContext(emptySnapshot, storage)));
      return { home: home ?? ROOT_HOME, entries };
    },
    makeContext({ home, entries }) {
      startTracking();
      if (entries.length === 0 && home !== ROOT_HOME) return emptyContextOf(home);
      let context: ContextRunner | undefined;
      const enterStoragesFrom = (index: number): void => {
        const entry = entries[index];
        if (entry === undefined) context = newContext();
        else apply(nativeRun, entry[0], [entry[1], () => enterStoragesFrom(index + 1)]);
      };
      const enter = (): void => {
        if (home !== ROOT_HOME) apply(enterWith, homeStorage, [home]);
        enterStoragesFrom(0);
      };
      inspectContext(() => emptySnapshot(enter, undefined, 0, undefined));
      return context as ContextRunner;
    },
  };
}
