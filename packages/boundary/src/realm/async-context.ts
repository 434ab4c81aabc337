// `AsyncLocalStorage` follows awaits and reactions of transformed code: from its first use on, core keeps Node's own snapshot of
// the context with everything that waits. Until then nothing is kept, so that programs without it pay nothing.
// A snapshot is a function over a resource of Node's. For capture it is read as data, each storage with the value it has there, by asking
// the storages inside of it; so those that ever held a value are remembered, weakly and in that order. One snapshot serves all
// that waits with the same values: a storage of our own says in each context which snapshot it has, until something else is stored there.
// Another one says whose code it is, on threads where that is asked for: so callbacks of Node's know it.
import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks';
import { types } from 'node:util';
import { ROOT_HOME, type ContextRunner, type ContextView, type Home, type Realm } from '@turntable/core';
import { unheard } from '@turntable/loader';
import { Stamp } from '../timers/stamp.ts';

type Method = (this: unknown, ...args: unknown[]) => unknown;
type Storage = AsyncLocalStorage<unknown>;

const { apply, construct, defineProperty, getOwnPropertyDescriptor } = Reflect;
const prototype = AsyncLocalStorage.prototype as unknown as Record<string, Method>;
const { getStore, run } = prototype as { getStore: Method; run: Method };
const nameOf = getOwnPropertyDescriptor(prototype, 'name')?.get as Method;
const { runInAsyncScope } = AsyncResource.prototype;

/** As `AsyncLocalStorage.snapshot`, which is the program's. */
function snapshot(entering: (runner: ContextRunner) => void = () => {}): ContextRunner {
  const runner: ContextRunner = (fn, target, kind, value) =>
    apply(runInAsyncScope, resource, [fn, undefined, target, kind, value]);
  entering(runner);
  const resource = new AsyncResource('snapshot');
  return runner;
}

/** Which snapshot the context has that code runs in. */
const marker = new AsyncLocalStorage<ContextRunner | undefined>() as unknown as Storage;
/** Whose code runs in the context. */
const homes = new AsyncLocalStorage<Home>() as unknown as Storage;
const enterWith = prototype['enterWith'] as Method;

function currentHome(): Home | undefined {
  return apply(getStore, homes, []) as Home | undefined;
}

function mark(runner: ContextRunner | undefined): void {
  apply(enterWith, marker, [runner]);
}

function marked(): ContextRunner | undefined {
  return apply(getStore, marker, []) as ContextRunner | undefined;
}

/** A snapshot, with the values it was taken with: whoever waits where they are the same shares it. */
class OwnContext extends Stamp {
  #storages: readonly WeakRef<Storage>[];
  #values: readonly unknown[];
  #home: Home | undefined;
  #isComplete: boolean;
  constructor(runner: ContextRunner, storages: readonly WeakRef<Storage>[], values: readonly unknown[]) {
    super(runner);
    this.#storages = storages;
    this.#values = values;
    this.#home = currentHome();
    this.#isComplete = storages.length <= MOST_COMPARED;
  }
  static homeOf(runner: object): Home | undefined {
    return #home in runner ? runner.#home : undefined;
  }
  /** What is stored there, if all of it was noted. */
  static storedIn(runner: object): readonly (readonly [storage: Storage, store: unknown])[] | undefined {
    if (!(#values in runner) || !runner.#isComplete) return undefined;
    const values = runner.#values;
    const stored: [Storage, unknown][] = [];
    for (let i = 0; i < values.length; i++) {
      const storage = apply(deref, runner.#storages[i], []) as Storage | undefined;
      if (storage !== undefined) stored.push([storage, values[i]]);
    }
    return stored;
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
const { deref } = WeakRef.prototype as { deref: Method };

function storeOf(ref: WeakRef<Storage> | undefined): unknown {
  const storage = apply(deref, ref, []);
  return storage === undefined ? undefined : apply(getStore, storage, []);
}

/** With more storages than this, comparing would cost more than a snapshot. */
const MOST_COMPARED = 16;

/** `instanceof`, which asks no proxy. */
function isBelow(value: object): boolean {
  for (let at: object | null = value; at !== null && !types.isProxy(at); at = Reflect.getPrototypeOf(at))
    if (at === prototype) return true;
  return false;
}

export interface AsyncContexts extends ContextView {
  follow(realm: Realm): void;
  /** The context in which it is somebody's code that runs, and nothing is stored. */
  contextOf(home: Home): ContextRunner;
  /** From here on it is somebody's code that runs, until what runs now has ended. */
  enterHome(home: Home): void;
  /** Whose code ran in it. */
  homeOf(context: object): Home | undefined;
  /** Whose code runs, if that is carried along. */
  home(): Home | undefined;
  /** Is told when a storage is used for the first time, before it is. */
  whenUsed(callback: (() => void) | undefined): void;
}

export function createAsyncContexts(): AsyncContexts {
  let used: (() => void) | undefined;
  const known = new WeakSet<object>();
  let storages: WeakRef<Storage>[] = [];
  let begin = (): void => {};
  /** The context before the program: nothing is stored in it. */
  const empty = snapshot();

  /** The context of the job that is running, or of the last wait. */
  let last: ContextRunner = empty;

  function take(): ContextRunner {
    const runner = marked();
    if (runner !== undefined) return (last = runner);
    // One that Node has entered by itself.
    if (storages.length <= MOST_COMPARED && OwnContext.isCurrent(last, storages)) return last;
    return (last = newContext());
  }

  function goInto(context: ContextRunner): boolean {
    last = context;
    return marked() === context;
  }

  function newContext(): ContextRunner {
    const runner = snapshot(mark);
    new OwnContext(runner, storages, storages.length <= MOST_COMPARED ? storages.map(storeOf) : []);
    return runner;
  }

  function remember(storage: object): void {
    known.add(storage);
    if (storages.length >= 64 && (storages.length & (storages.length - 1)) === 0)
      storages = storages.filter((ref) => ref.deref() !== undefined);
    storages.push(new WeakRef(storage as Storage));
  }

  const storeIn = (context: ContextRunner, storage: object): unknown => {
    let store: unknown;
    unheard(() => context(() => (store = apply(getStore, storage, [])), undefined, 0, undefined));
    return store;
  };

  /** Of the main program's code, which is known to every capture as it was born. */
  let rootContext: ContextRunner | undefined;

  /** A table of them, weakly held, would be what the collector is busy with where there are many actors. */
  function emptyOf(home: Home): ContextRunner {
    if (home === ROOT_HOME) return (rootContext ??= emptyContext(home));
    return (home.ownContext ??= emptyContext(home)) as ContextRunner;
  }

  function isEmptyOf(home: Home, context: ContextRunner): boolean {
    return context === (home === ROOT_HOME ? rootContext : home.ownContext);
  }

  function emptyContext(home: Home): ContextRunner {
    let context: ContextRunner | undefined;
    const enter = (): void => {
      apply(enterWith, homes, [home]);
      context = newContext();
    };
    empty(enter, undefined, 0, undefined);
    return context as unknown as ContextRunner;
  }

  function follow(realm: Realm): void {
    // Whatever enters a context comes by here: `run`, `exit` and `withScope` do.
    const descriptor = getOwnPropertyDescriptor(prototype, 'enterWith') as PropertyDescriptor;
    // Another realm's, if there is one: it remembers, too.
    const enter = descriptor.value as Method;
    const remembering = {
      enterWith(this: object, store: unknown): unknown {
        const entered = apply(enter, this, [store]);
        if (marked() !== undefined) mark(undefined);
        if (!known.has(this)) remember(this);
        return entered;
      },
    }.enterWith;
    defineProperty(prototype, 'enterWith', { ...descriptor, value: remembering });

    const originals = new Map<string, { descriptor: PropertyDescriptor; watched: Method }>();
    begin = (): void => {
      for (const [name, { descriptor, watched }] of originals) {
        // Unless another realm watches by now.
        if (prototype[name] === watched) defineProperty(prototype, name, descriptor);
      }
      originals.clear();
      realm.trackContexts(take, goInto, (runner) => OwnContext.homeOf(runner), emptyOf, isEmptyOf);
    };
    for (const name of Object.getOwnPropertyNames(prototype)) {
      const descriptor = getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
      const original = descriptor.value as unknown;
      if (typeof original !== 'function' || name === 'constructor' || name === 'getStore') continue;
      const watched: Method = {
        [name](...args: unknown[]): unknown {
          used?.();
          begin();
          return apply(original as Method, this, args);
        },
      }[name] as Method;
      originals.set(name, { descriptor, watched });
      defineProperty(prototype, name, { ...descriptor, value: watched });
    }
  }

  return {
    follow,
    whenUsed(callback) {
      used = callback;
    },
    contextOf(home) {
      begin();
      return emptyOf(home);
    },
    enterHome(home) {
      begin();
      apply(enterWith, homes, [home]);
      mark(undefined);
    },
    homeOf: (context) => OwnContext.homeOf(context),
    home: currentHome,
    storagePrototype: prototype,
    isContext: (value) => OwnContext.is(value),
    isStorage(value) {
      if (!isBelow(value)) return false;
      try {
        apply(nameOf, value, []);
        return true;
      } catch {
        return false;
      }
    },
    readStorage: (storage) => ({ name: apply(nameOf, storage, []), defaultValue: storeIn(empty, storage) }),
    makeStorage({ name, defaultValue }, below) {
      const newTarget = Object.assign(function () {}, { prototype: below ?? prototype });
      const options = { ...(name === '' ? {} : { name }), ...(defaultValue === undefined ? {} : { defaultValue }) };
      return construct(AsyncLocalStorage, [options], newTarget) as object;
    },
    readContext(context) {
      const runner = context as ContextRunner;
      const noted = OwnContext.storedIn(context);
      const stored =
        noted ??
        storages.flatMap((ref): [Storage, unknown][] => {
          const storage = apply(deref, ref, []) as Storage | undefined;
          return storage === undefined ? [] : [[storage, storeIn(runner, storage)]];
        });
      const home = noted === undefined ? (storeIn(runner, homes) as Home | undefined) : OwnContext.homeOf(context);
      const entries = stored.filter(([storage, store]) => !Object.is(store, storeIn(empty, storage)));
      return { home: home ?? ROOT_HOME, entries };
    },
    makeContext({ home, entries }) {
      begin();
      // What an actor's turns run in.
      if (entries.length === 0 && home !== ROOT_HOME) return emptyOf(home);
      let made: ContextRunner | undefined;
      const enterFrom = (at: number): void => {
        const entry = entries[at];
        if (entry === undefined) made = newContext();
        else apply(run, entry[0], [entry[1], () => enterFrom(at + 1)]);
      };
      const enter = (): void => {
        if (home !== ROOT_HOME) apply(enterWith, homes, [home]);
        enterFrom(0);
      };
      unheard(() => empty(enter, undefined, 0, undefined));
      return made as ContextRunner;
    },
  };
}
