// Static objects: the objects that every process has before a program runs. Neutral objects (of the language, and of
// builtins that only compute) are shared by both sides; host objects are the exports, functions and prototypes of host
// builtins. Each has a path that every process derives. A path never depends on the order of loading, because the
// possible owners of an object are always searched in the same order. Instances have no paths: they are recorded.
//
// All objects are registered before the program can replace them. Getters are not called, except those known to do
// nothing but load a part of Node.
import { EventEmitter } from 'node:events';
import { isBuiltin } from 'node:module';
import { types } from 'node:util';
import { internals, isObject, SafeMap, SafeSet, SafeWeakMap, type Realm } from '@turntable/core';
import { nativeFunctionOf, isHostBuiltin, isHostMember, withNativeClock } from '@turntable/loader';
import { isProgramFunction } from './program-functions.ts';
import { loadedBuiltins } from './loaded-builtins.ts';
import { createWebGlobals, WEB_NAMES } from './web-globals.ts';
import { nativeGlobalDescriptor } from '../realm/guarded-globals.ts';
import { LAZY_NAMES, type LazyGlobals } from '../realm/lazy-globals.ts';

export interface Statics {
  /** Whether both sides share the object. */
  isNeutral(value: object): boolean;
  /** Path of a static host object, such as `http.Server.prototype`. */
  pathOf(value: object): string | undefined;
  /** Whether every process has the object as this export of a builtin, although its path is elsewhere. */
  isAlias(root: string, key: PropertyKey, value: object): boolean;
  /** Returns the object of a path, neutral or not. Loads the builtin if necessary. */
  objectAt(path: string): object | undefined;
  neutralPathOf(value: object): string | undefined;
}

type PathSide = 'neutral' | 'host';
type PathEntry = readonly [path: string, object: object];

const { ownKeys } = Reflect;
/** The functions of `Object`, because V8 compiles these, while the functions of `Reflect` call into its runtime. */
const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const { isProxy } = types;
/** Node's loader of builtins, which resolves no names through hooks, unlike `require`. */
const { getBuiltinModule } = process;
const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };

/** Getters that load a part of Node on the first access. */
const LAZY_GETTERS: Readonly<Record<string, readonly string[]>> = {
  async_hooks: ['AsyncLocalStorage'],
  crypto: ['webcrypto', 'subtle', 'getRandomValues'],
  dns: ['promises'],
  events: ['EventEmitterAsyncResource'],
  fs: ['promises', 'ReadStream', 'WriteStream', 'FileReadStream', 'FileWriteStream', 'Utf8Stream'],
  net: ['BlockList', 'SocketAddress'],
  readline: ['promises'],
  stream: ['promises'],
  timers: ['promises'],
};

/** Builtins that own the shared exports of other builtins. The owners are searched first. */
const EXPORT_OWNERS: Readonly<Record<string, string>> = {
  'assert/strict': 'assert',
  child_process: 'stream net dgram',
  cluster: 'stream net child_process',
  crypto: 'stream',
  'dns/promises': 'dns',
  dgram: 'events',
  fs: 'stream',
  'fs/promises': 'stream fs',
  http: 'stream net',
  http2: 'stream net crypto tls http',
  https: 'stream net crypto tls http',
  'inspector/promises': 'inspector',
  net: 'stream',
  'path/posix': 'path',
  'path/win32': 'path',
  'readline/promises': 'readline',
  repl: 'stream readline',
  'stream/consumers': 'stream',
  'stream/promises': 'stream',
  'stream/web': 'stream',
  sys: 'util',
  'timers/promises': 'timers',
  tls: 'stream net crypto',
  tty: 'stream net',
  'util/types': 'util',
  web: 'stream stream/web buffer perf_hooks',
  worker_threads: 'stream web',
  zlib: 'stream',
};

/** Unique objects that only compute, or whose results are recorded as inputs. */
const SINGLETONS = ['console', 'crypto', 'navigator', 'performance', 'process'] as const;
const PROCESS_OBJECTS = ['env', 'argv', 'execArgv', 'versions', 'release', 'config', 'features'] as const;
const PATH_ROOT = /^(?:[gs]et )?([^.]*)/;
/** Names on the global object that are not objects of the language or shared objects of Node. */
const NON_NEUTRAL_GLOBALS: ReadonlySet<PropertyKey> = new Set(['globalThis', 'global', ...SINGLETONS]);

export class StaticObjects implements Statics {
  /** The globals of the host side, as the exports of a module. */
  readonly web: Record<string, unknown>;
  // Safe collections: thousands of entries are added before the program's first line, when instrumented collections
  // would report each to an undo log.
  readonly #neutralPaths = new SafeWeakMap<object, string>();
  readonly #hostPaths = new SafeWeakMap<object, string>();
  readonly #objectsByPath = new SafeMap<string, object>();
  /** Exports whose path is elsewhere, such as `stream.Stream` or `worker_threads.MessagePort`. */
  readonly #aliases = new SafeMap<string, object>();
  readonly #registered = new SafeSet<string>();
  readonly #lazyGlobals: LazyGlobals;
  readonly #onRegister: ((root: string, exports: object) => void) | undefined;
  #hasLazyGlobals = false;
  /** Registers the language and loaded builtins on first use. Undefined afterwards. */
  #initialize: (() => void) | undefined;
  /** Loaded host builtins that are not registered yet. */
  #unregistered: string[] = [];
  /** Number of entries of Node's load list that were examined. */
  #loadListIndex = 0;

  /**
   * Must run before the program is loaded and after all replacements of Node's functions.
   * @param onRegister called before the exports of a builtin are registered
   */
  constructor(realm: Realm, lazyGlobals: LazyGlobals, onRegister?: (root: string, exports: object) => void) {
    this.#lazyGlobals = lazyGlobals;
    this.#onRegister = onRegister;
    this.web = createWebGlobals(lazyGlobals);
    const names = ownKeys(globalThis).filter(isNeutralGlobal) as string[];
    const loadedAtStart = loadedBuiltins(0);
    this.#loadListIndex = loadedAtStart.listLength;
    this.#initialize = () => {
      this.#initialize = undefined;
      this.#registerLanguage(realm, names);
      for (const name of loadedAtStart.names)
        if (isHostBuiltin(name)) this.#unregistered.push(name);
        else this.registerBuiltin(name);
    };
  }

  isNeutral(value: object): boolean {
    this.#initialize?.();
    return this.#neutralPaths.has(value);
  }

  neutralPathOf(value: object): string | undefined {
    this.#initialize?.();
    return this.#neutralPaths.get(value);
  }

  pathOf(value: object): string | undefined {
    const path = this.#hostPaths.get(value);
    if (path !== undefined) return path;
    const wasInitialized = this.#initialize === undefined;
    this.#initialize?.();
    return !this.#registerLoaded() && wasInitialized ? undefined : this.#hostPaths.get(value);
  }

  isAlias(root: string, key: PropertyKey, value: object): boolean {
    return this.#aliases.get(`${root}.${keyInPath(key)}`) === value;
  }

  objectAt(path: string): object | undefined {
    this.#initialize?.();
    const object = this.#objectsByPath.get(path);
    if (object !== undefined) return object;
    const [, root = ''] = PATH_ROOT.exec(path) ?? [];
    if (root === 'web') {
      this.registerBuiltin('web');
      this.#registerLazyGlobals();
    } else if (isKnownBuiltin(root)) this.registerBuiltin(root);
    return this.#objectsByPath.get(path);
  }

  /** Returns the exports of a builtin, or the globals of the host side. */
  exportsOf(root: string): object {
    const name = `node:${root}`;
    return root === 'web' ? this.web : withNativeClock(name, () => getBuiltinModule(name) as object);
  }

  /** Adds a host object that no module exports. */
  addHost(path: string, value: object): void {
    this.#assignPath(this.#hostPaths, path, value);
  }

  /** Adds an object that both sides share. */
  addNeutral(path: string, value: object): void {
    this.#assignPath(this.#neutralPaths, path, value);
  }

  /** Registers the exports of a builtin. Must run before the program gets them. */
  registerBuiltin(root: string): void {
    this.#initialize?.();
    if (this.#registered.has(root)) return;
    this.#registered.add(root);
    for (const owner of exportOwnersOf(root)) this.registerBuiltin(owner);
    const exports = this.exportsOf(root);
    this.#onRegister?.(root, exports);
    if (root === 'web') this.#registerWeb();
    else this.#registerExports(root, exports);
  }

  #registerExports(root: string, exports: object): void {
    const isAllNeutral = !isHostBuiltin(root);
    this.#assignPath(isAllNeutral ? this.#neutralPaths : this.#hostPaths, root, exports);
    const neutralEntries: PathEntry[] = [];
    const hostEntries: PathEntry[] = [];
    for (const key of ownKeys(exports)) {
      const value: unknown = LAZY_GETTERS[root]?.includes(String(key)) ? Reflect.get(exports, key) : undefined;
      const descriptor = value === undefined ? getOwnPropertyDescriptor(exports, key) : { value };
      const isNeutral = isAllNeutral || !isHostMember(root, String(key));
      if (isObject(descriptor?.value) && this.#hostPaths.has(descriptor.value))
        this.#aliases.set(`${root}.${keyInPath(key)}`, descriptor.value);
      (isNeutral ? neutralEntries : hostEntries).push(...entriesAt(`${root}.${keyInPath(key)}`, descriptor));
    }
    this.#walk(neutralEntries, 'neutral');
    this.#walk(hostEntries, 'host');
  }

  #registerWeb(): void {
    this.#assignPath(this.#hostPaths, 'web', this.web);
    const names = [...WEB_NAMES].filter((name) => !LAZY_NAMES.has(name)) as string[];
    this.#walk(
      names.flatMap((name) => entriesAt(`web.${name}`, { value: this.web[name] })),
      'host',
    );
    if (this.#lazyGlobals.isLoaded) this.#registerLazyGlobals();
  }

  /** Registers the globals that load Node's network code. */
  #registerLazyGlobals(): void {
    if (this.#hasLazyGlobals) return;
    this.#hasLazyGlobals = true;
    this.registerBuiltin('web');
    const lazyEntries = this.#lazyGlobals.entries();
    for (const side of ['neutral', 'host'] as const) {
      const sideEntries = lazyEntries.filter(([name]) => WEB_NAMES.has(name) === (side === 'host'));
      this.#walk(
        sideEntries.map(([name, value]) => [`web.${name}`, value]),
        side,
      );
    }
  }

  /** Registers what Node has loaded since the last call. Returns whether it found anything new. */
  #registerLoaded(): boolean {
    if (this.#loadListIndex === moduleLoadList.length && this.#unregistered.length === 0) return false;
    const { names, listLength: entries } = loadedBuiltins(this.#loadListIndex);
    this.#loadListIndex = entries;
    const countBefore = this.#registered.size;
    const hadLazyGlobals = this.#hasLazyGlobals;
    for (const name of [...this.#unregistered, ...names]) this.registerBuiltin(name);
    this.#unregistered = [];
    if (!hadLazyGlobals && this.#lazyGlobals.isLoaded) this.#registerLazyGlobals();
    return this.#registered.size !== countBefore || hadLazyGlobals !== this.#hasLazyGlobals;
  }

  #registerLanguage(realm: Realm, names: readonly string[]): void {
    const { ambient } = realm;
    // Registered first, because this is the usual one of the many paths to the class.
    const entries: PathEntry[] = [['EventEmitter', EventEmitter]];
    // The class of pooled buffers, reachable through a getter only.
    const { [Symbol.species]: bufferSpecies } = Buffer as unknown as { readonly [Symbol.species]: object };
    entries.push([`Buffer.${keyInPath(Symbol.species)}`, bufferSpecies]);
    entries.push(...names.flatMap((name) => entriesAt(name, nativeGlobalDescriptor(name))));
    entries.push(...hiddenIntrinsics());
    for (const key of ownKeys(ambient)) {
      const descriptor = getOwnPropertyDescriptor(ambient, key);
      // Skips the program's global object, and accessors, because these lead to host objects.
      if (descriptor?.value !== undefined && !NON_NEUTRAL_GLOBALS.has(key))
        entries.push(...entriesAt(`core.${keyInPath(key)}`, descriptor));
    }
    for (const [name, object] of Object.entries(internals.wellKnown(realm)))
      if (isObject(object)) entries.push([`core.${name}`, object]);
    this.#assignPath(this.#neutralPaths, 'globalThis', globalThis);
    const view: unknown = ambient['globalThis'];
    if (isObject(view)) this.#assignPath(this.#neutralPaths, 'core.globalThis', view);
    for (const name of SINGLETONS) {
      const singleton: unknown = Reflect.get(globalThis, name);
      if (!isObject(singleton)) continue;
      const path = `globalThis.${name}`;
      this.#assignPath(this.#neutralPaths, path, singleton);
      for (const key of ownKeys(singleton)) {
        const descriptor = getOwnPropertyDescriptor(singleton, key);
        if (typeof descriptor?.value === 'function' || descriptor?.get !== undefined)
          entries.push(...entriesAt(`${path}.${keyInPath(key)}`, descriptor));
      }
      entries.push([`${path}.[[Prototype]]`, getPrototypeOf(singleton) as object]);
    }
    for (const name of PROCESS_OBJECTS) {
      const processObject: unknown = Reflect.get(process, name);
      if (isObject(processObject)) this.#assignPath(this.#neutralPaths, `globalThis.process.${name}`, processObject);
    }
    this.#walk(entries, 'neutral');
  }

  /** Registers functions, prototypes and plain objects in breadth-first order: the shortest path wins. */
  #walk(entries: readonly PathEntry[], side: PathSide): void {
    const table = side === 'neutral' ? this.#neutralPaths : this.#hostPaths;
    let next: PathEntry[] = [];
    const visit = (path: string, value: unknown, isStructure: boolean): void => {
      if (!isObject(value) || this.#isKnown(value) || isProxy(value) || isProgramFunction(value)) return;
      if (!isStructure && typeof value !== 'function' && !(side === 'neutral' && Array.isArray(value))) return;
      if (this.#assignPath(table, path, value)) next[next.length] = [path, value];
    };
    for (const [path, object] of entries) visit(path, object, isStructuralPath(path) || isFunctionOrPlain(object));
    // `forEach` instead of a loop: V8 would compile the running loop with all inlined calls, which costs a tenth of a
    // second per thread for code that runs once.
    while (next.length > 0) {
      const level = next;
      next = [];
      level.forEach((entry) => this.#visitProperties(entry, side, visit));
    }
  }

  #visitProperties(
    [path, object]: PathEntry,
    side: PathSide,
    visit: (path: string, value: unknown, isStructure: boolean) => void,
  ): void {
    for (const key of ownKeys(object)) {
      const { value, get, set } = getOwnPropertyDescriptor(object, key) as PropertyDescriptor;
      // Most properties hold primitives, and need no path.
      if (!isObject(value) && get === undefined && set === undefined) continue;
      const propertyPath = `${path}.${keyInPath(key)}`;
      // For example, `dns.promises` exports functions of `dns`.
      if (side === 'host' && typeof value === 'function' && this.#hostPaths.has(value))
        this.#aliases.set(propertyPath, value);
      if (isObject(value))
        visit(propertyPath, value, key === 'prototype' || (isFunctionOrPlain(value) && side === 'neutral'));
      if (get !== undefined) visit(`get ${propertyPath}`, get, true);
      if (set !== undefined) visit(`set ${propertyPath}`, set, true);
    }
    visit(`${path}.[[Prototype]]`, getPrototypeOf(object), true);
  }

  /** Assigns a path to an unknown object. Returns whether the object is new. */
  #assignPath(table: WeakMap<object, string>, path: string, object: object): boolean {
    if (this.#isKnown(object)) return false;
    table.set(object, path);
    if (!this.#objectsByPath.has(path)) this.#objectsByPath.set(path, object);
    // Code inside Node uses the native function that Turntable's function replaces.
    const native = typeof object === 'function' ? nativeFunctionOf(object) : undefined;
    if (native !== undefined && !this.#isKnown(native)) table.set(native, path);
    return true;
  }

  #isKnown(object: object): boolean {
    return this.#neutralPaths.has(object) || this.#hostPaths.has(object);
  }
}

function exportOwnersOf(root: string): string[] {
  // The internal files of Node's modules are builtins as well.
  const [, owner] = /^_(http|stream|tls)_/.exec(root) ?? [];
  return owner === undefined ? (EXPORT_OWNERS[root]?.split(' ') ?? []) : [owner];
}

function isNeutralGlobal(key: PropertyKey): boolean {
  return typeof key === 'string' && !NON_NEUTRAL_GLOBALS.has(key) && !WEB_NAMES.has(key) && !LAZY_NAMES.has(key);
}

/** Whether a builtin has the name, with or without the scheme `node:`. */
function isKnownBuiltin(name: string): boolean {
  return isBuiltin(name) || isBuiltin(`node:${name}`);
}

function isFunctionOrPlain(value: object): boolean {
  if (typeof value === 'function') return true;
  const prototype = isProxy(value) ? undefined : getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function entriesAt(path: string, descriptor: PropertyDescriptor | undefined): PathEntry[] {
  const { value, get, set } = descriptor ?? {};
  const entries: PathEntry[] = [];
  if (isObject(value)) entries.push([path, value]);
  if (get !== undefined) entries.push([`get ${path}`, get]);
  if (set !== undefined) entries.push([`set ${path}`, set]);
  return entries;
}

function isStructuralPath(path: string): boolean {
  return path.endsWith('.prototype') || path.endsWith('[[Prototype]]') || path.startsWith('%');
}

function keyInPath(key: PropertyKey): string {
  return typeof key === 'symbol' ? `@@${key.description ?? ''}` : String(key);
}

/** Prototypes of the language that no global name leads to. */
function hiddenIntrinsics(): PathEntry[] {
  const prototypeOf = (object: object): object => getPrototypeOf(object) as object;
  return [
    ['%TypedArray%', prototypeOf(Uint8Array)],
    ['%ArrayIteratorPrototype%', prototypeOf([][Symbol.iterator]())],
    ['%MapIteratorPrototype%', prototypeOf(new Map()[Symbol.iterator]())],
    ['%SetIteratorPrototype%', prototypeOf(new Set()[Symbol.iterator]())],
    ['%StringIteratorPrototype%', prototypeOf(''[Symbol.iterator]())],
    ['%RegExpStringIteratorPrototype%', prototypeOf(/a/g[Symbol.matchAll](''))],
    ['%IteratorHelperPrototype%', prototypeOf(Iterator.from([]).take(0))],
    ['%AsyncFunctionPrototype%', prototypeOf(async () => {})],
    ['%GeneratorFunctionPrototype%', prototypeOf(function* () {})],
    ['%AsyncGeneratorFunctionPrototype%', prototypeOf(async function* () {})],
  ];
}
