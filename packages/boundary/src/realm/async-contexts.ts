// `AsyncLocalStorage` follows awaits and reactions of transformed code: from its first use on, core keeps Node's own snapshot of
// the context with everything that waits. Until then nothing is kept, so that programs without it pay nothing.
// A snapshot is a function over a resource of Node's. For capture it is read as data, each storage with the value it has there, by asking
// the storages inside of it; so those that ever held a value are remembered, weakly and in that order. One snapshot serves all
// that waits with the same values: a storage of our own says in each context which snapshot it has, until something else is stored there.
// Another one says whose code it is, on threads where that is asked for: so callbacks of Node's know it.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { types } from 'node:util';
import { ROOT_HOME, type ContextRunner, type ContextView, type HomeActor, type Realm } from '@turntable/core';
import { inspectContext } from '@turntable/loader';
import { Stamp } from '../timers/stamp.ts';

type AnyMethod = (this: unknown, ...args: unknown[]) => unknown;
type Storage = AsyncLocalStorage<unknown>;

const { apply, construct, defineProperty, getOwnPropertyDescriptor } = Reflect;
const prototype = AsyncLocalStorage.prototype as unknown as Record<string, AnyMethod>;
const { getStore: nativeGetStore, run: nativeRun } = prototype as { getStore: AnyMethod; run: AnyMethod };
const nativeName = getOwnPropertyDescriptor(prototype, 'name')?.get as AnyMethod;
const { runInAsyncScope } = AsyncResource.prototype;

/** As `AsyncLocalStorage.snapshot`, which is the program's. */
function createSnapshot(beforeSnapshot: (runner: ContextRunner) => void = () => {}): ContextRunner {
  const runner: ContextRunner = (fn, target, kind, value) =>
    apply(runInAsyncScope, resource, [fn, undefined, target, kind, value]);
  beforeSnapshot(runner);
  const resource = new AsyncResource('snapshot');
  return runner;
}

/** Which snapshot the context has that code runs in. */
const snapshotStorage = new AsyncLocalStorage<ContextRunner | undefined>() as unknown as Storage;
/** Whose code runs in the context. */
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

/** A snapshot, with the values it was taken with: whoever waits where they are the same shares it. */
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
  /** What is stored there, if all of it was noted. */
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
  /** Whether a snapshot taken now would be the same. */
  static isCurrent(runner: object, storages: readonly WeakRef<Storage>[]): boolean {
    if (!(#values in runner)) return false;
    const values = runner.#values;
    if (runner.#storages !== storages || values.length !== storages.length) return false;
    if (runner.#home !== currentHome()) return false;
    for (let i = 0; i < values.length; i++) if (storeOf(storages[i]) !== values[i]) return false;
    return true;
  }
}

/** The engine's own: a program's references are watched. */
const { deref } = WeakRef.prototype as { deref: AnyMethod };

function storeOf(ref: WeakRef<Storage> | undefined): unknown {
  const storage = apply(deref, ref, []);
  return storage === undefined ? undefined : apply(nativeGetStore, storage, []);
}

/** With more storages than this, comparing would cost more than a snapshot. */
const MAX_COMPARED_STORAGES = 16;

/** `instanceof`, which asks no proxy. */
function inheritsFromStorage(value: object): boolean {
  for (
    let ancestor: object | null = value;
    ancestor !== null && !types.isProxy(ancestor);
    ancestor = Reflect.getPrototypeOf(ancestor)
  )
    if (ancestor === prototype) return true;
  return false;
}

export interface AsyncContexts extends ContextView {
  attachTo(realm: Realm): void;
  /** The context in which it is somebody's code that runs, and nothing is stored. */
  contextOf(home: HomeActor): ContextRunner;
  /** From here on it is somebody's code that runs, until what runs now has ended. */
  enterHome(home: HomeActor): void;
  /** Whose code ran in it. */
  homeOf(context: object): HomeActor | undefined;
  /** Whose code runs, if that is carried along. */
  currentHome(): HomeActor | undefined;
  /** Is told when a storage is used for the first time, before it is. */
  onFirstUse(callback: (() => void) | undefined): void;
}

export function createAsyncContexts(): AsyncContexts {
  let onUse: (() => void) | undefined;
  const knownStorages = new WeakSet<object>();
  let storages: WeakRef<Storage>[] = [];
  let startTracking = (): void => {};
  /** The context before the program: nothing is stored in it. */
  const emptySnapshot = createSnapshot();

  /** The context of the job that is running, or of the last wait. */
  let lastSnapshot: ContextRunner = emptySnapshot;

  function currentContext(): ContextRunner {
    const runner = currentSnapshot();
    if (runner !== undefined) return (lastSnapshot = runner);
    // One that Node has entered by itself.
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

  /** Of the main program's code, which is known to every capture as it was born. */
  let rootContext: ContextRunner | undefined;

  /** A table of them, weakly held, would be what the collector is busy with where there are many actors. */
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
    // Whatever enters a context comes by here: `run`, `exit` and `withScope` do.
    const descriptor = getOwnPropertyDescriptor(prototype, 'enterWith') as PropertyDescriptor;
    // Another realm's, if there is one: it remembers, too.
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
        // Unless another realm watches by now.
        if (prototype[name] === watched) defineProperty(prototype, name, descriptor);
      }
      watchedMethods.clear();
      realm.trackContexts(
        currentContext,
        enterContext,
        (runner) => SnapshotContext.homeOf(runner),
        emptyContextOf,
        isEmptyContextOf,
      );
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
      // What an actor's turns run in.
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
