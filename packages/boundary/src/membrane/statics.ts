// What is there in every process before a program runs, as far as the membrane has to know it: objects that both sides share (of the language, of
// builtins that only compute), and the structure of what is outside, its modules' exports, functions and prototypes, by paths that a run
// again finds, too. A path never depends on what was loaded when: who may own an object is asked in one order. Instances have no paths: what
// they are is outside, and recorded. All of it is looked at before the program can put its own in the places; getters are not called, but for
// those known to load a part of Node and do nothing else.
import { EventEmitter } from 'node:events';
import { isBuiltin } from 'node:module';
import { types } from 'node:util';
import { internals, isObject, SafeMap, SafeSet, SafeWeakMap, type Realm } from '@turntable/core';
import { functionBehind, isOutside, isOutsideMember, withNativeClock } from '@turntable/loader';
import { isOfProgram } from './of-program.ts';
import { loadedBuiltins } from './loaded-builtins.ts';
import { createWebGlobals, WEB_NAMES } from './web-globals.ts';
import { LAZY_NAMES, type LazyGlobals } from '../realm/lazy-globals.ts';

export interface Statics {
  /** One object for both sides. */
  isNeutral(value: object): boolean;
  /** Of functions, prototypes and exports of what is outside, there in every process: `http.Server.prototype`. */
  pathOf(value: object): string | undefined;
  /** Whether a builtin exports that, which has its path elsewhere, under this name in every process. */
  isAlias(root: string, key: PropertyKey, value: object): boolean;
  /** Back, of neutral ones, too; loads the builtin if need be. */
  at(path: string): object | undefined;
  neutralPathOf(value: object): string | undefined;
}

type Side = 'neutral' | 'outside';
type Start = readonly [path: string, object: object];

const { ownKeys } = Reflect;
/** Compiled, where those of `Reflect` call into the runtime. */
const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const { isProxy } = types;
/** Asks nobody who resolves names, as `require` does. */
const { getBuiltinModule } = process;
const { moduleLoadList } = process as unknown as { readonly moduleLoadList: readonly string[] };

/** Getters that load a part of Node when they are first asked. */
const LAZY: Readonly<Record<string, readonly string[]>> = {
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

/** Whose what several of them export is: those that come first. */
const OWNERS: Readonly<Record<string, string>> = {
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

/** Objects there is one of, that compute or are recorded otherwise. */
const SINGLE = ['console', 'crypto', 'navigator', 'performance', 'process'] as const;
const OF_PROCESS = ['env', 'argv', 'execArgv', 'versions', 'release', 'config', 'features'] as const;
const ROOT = /^(?:[gs]et )?([^.]*)/;
/** Global names that are no objects of the language or of Node's to be shared. */
const NOT_SHARED: ReadonlySet<PropertyKey> = new Set(['globalThis', 'global', ...SINGLE]);

export class StaticObjects implements Statics {
  /** What of the global object is outside: as a module that exports it. */
  readonly web: Record<string, unknown>;
  // Thousands are put there before the program's first line, when the methods of other collections may tell an undo log of it.
  readonly #neutral = new SafeWeakMap<object, string>();
  readonly #outside = new SafeWeakMap<object, string>();
  readonly #objects = new SafeMap<string, object>();
  /** What builtins export that has its path elsewhere: `stream.Stream`, `worker_threads.MessagePort`. */
  readonly #aliases = new SafeMap<string, object>();
  readonly #met = new SafeSet<string>();
  readonly #lazyGlobals: LazyGlobals;
  #isLateMet = false;
  /** Until anybody wants to know. */
  #begin: (() => void) | undefined;
  /** Builtins that Node has loaded and nobody has asked for here. */
  #unmet: string[] = [];
  /** Of Node's own list. */
  #loaded = 0;

  /** Before the program is loaded, when all of ours stands in the places of Node's. What there is is noted; it is looked at when it matters. */
  constructor(realm: Realm, lazyGlobals: LazyGlobals) {
    this.#lazyGlobals = lazyGlobals;
    this.web = createWebGlobals(lazyGlobals);
    const names = ownKeys(globalThis).filter(isShared) as string[];
    const loaded = loadedBuiltins(0);
    this.#loaded = loaded.entries;
    this.#begin = () => {
      this.#begin = undefined;
      this.#meetLanguage(realm, names);
      for (const name of loaded.names)
        if (isOutside(name)) this.#unmet.push(name);
        else this.meet(name);
    };
  }

  isNeutral(value: object): boolean {
    this.#begin?.();
    return this.#neutral.has(value);
  }

  neutralPathOf(value: object): string | undefined {
    this.#begin?.();
    return this.#neutral.get(value);
  }

  pathOf(value: object): string | undefined {
    const path = this.#outside.get(value);
    if (path !== undefined) return path;
    const wasBegun = this.#begin === undefined;
    this.#begin?.();
    return !this.#meetLoaded() && wasBegun ? undefined : this.#outside.get(value);
  }

  isAlias(root: string, key: PropertyKey, value: object): boolean {
    return this.#aliases.get(`${root}.${keyText(key)}`) === value;
  }

  at(path: string): object | undefined {
    this.#begin?.();
    const found = this.#objects.get(path);
    if (found !== undefined) return found;
    const [, root = ''] = ROOT.exec(path) ?? [];
    if (root === 'web') {
      this.meet('web');
      this.#meetLate();
    } else if (isKnownBuiltin(root)) this.meet(root);
    return this.#objects.get(path);
  }

  /** What Node has under this name: a builtin, or the globals that are outside. */
  exportsOf(root: string): object {
    const name = `node:${root}`;
    return root === 'web' ? this.web : withNativeClock(name, () => getBuiltinModule(name) as object);
  }

  /** One more that is outside and stands under no module. */
  add(path: string, value: object): void {
    this.#name(this.#outside, path, value);
  }

  /** One more that both sides know. */
  share(path: string, value: object): void {
    this.#name(this.#neutral, path, value);
  }

  /** Learns the names of what a builtin exports, before the program has it. */
  meet(root: string): void {
    this.#begin?.();
    if (this.#met.has(root)) return;
    this.#met.add(root);
    for (const owner of ownersOf(root)) this.meet(owner);
    const exports = this.exportsOf(root);
    if (root === 'web') this.#meetWeb();
    else this.#meetExports(root, exports);
  }

  #meetExports(root: string, exports: object): void {
    const isAllInside = !isOutside(root);
    this.#name(isAllInside ? this.#neutral : this.#outside, root, exports);
    const inside: Start[] = [];
    const outside: Start[] = [];
    for (const key of ownKeys(exports)) {
      const value: unknown = LAZY[root]?.includes(String(key)) ? Reflect.get(exports, key) : undefined;
      const descriptor = value === undefined ? getOwnPropertyDescriptor(exports, key) : { value };
      const isInside = isAllInside || !isOutsideMember(root, String(key));
      if (isObject(descriptor?.value) && this.#outside.has(descriptor.value))
        this.#aliases.set(`${root}.${keyText(key)}`, descriptor.value);
      (isInside ? inside : outside).push(...startsAt(`${root}.${keyText(key)}`, descriptor));
    }
    this.#walk(inside, 'neutral');
    this.#walk(outside, 'outside');
  }

  #meetWeb(): void {
    this.#name(this.#outside, 'web', this.web);
    const names = [...WEB_NAMES].filter((name) => !LAZY_NAMES.has(name)) as string[];
    this.#walk(
      names.flatMap((name) => startsAt(`web.${name}`, { value: this.web[name] })),
      'outside',
    );
    if (this.#lazyGlobals.isLoaded) this.#meetLate();
  }

  /** What Node loads its network code for. */
  #meetLate(): void {
    if (this.#isLateMet) return;
    this.#isLateMet = true;
    this.meet('web');
    const entries = this.#lazyGlobals.entries();
    for (const side of ['neutral', 'outside'] as const) {
      const its = entries.filter(([name]) => WEB_NAMES.has(name) === (side === 'outside'));
      this.#walk(
        its.map(([name, value]) => [`web.${name}`, value]),
        side,
      );
    }
  }

  /** Whether there was anything new. */
  #meetLoaded(): boolean {
    if (this.#loaded === moduleLoadList.length && this.#unmet.length === 0) return false;
    const { names, entries } = loadedBuiltins(this.#loaded);
    this.#loaded = entries;
    const before = this.#met.size;
    const wasLateMet = this.#isLateMet;
    for (const name of [...this.#unmet, ...names]) this.meet(name);
    this.#unmet = [];
    if (!wasLateMet && this.#lazyGlobals.isLoaded) this.#meetLate();
    return this.#met.size !== before || wasLateMet !== this.#isLateMet;
  }

  #meetLanguage(realm: Realm, names: readonly string[]): void {
    const { ambient } = realm;
    // Many ways lead to it, and this is what everybody calls it.
    const starts: Start[] = [['EventEmitter', EventEmitter]];
    // The class that instances are made by is behind a getter.
    const { [Symbol.species]: bufferSpecies } = Buffer as unknown as { readonly [Symbol.species]: object };
    starts.push([`Buffer.${keyText(Symbol.species)}`, bufferSpecies]);
    starts.push(...names.flatMap((name) => startsAt(name, getOwnPropertyDescriptor(globalThis, name))));
    starts.push(...hiddenIntrinsics());
    for (const key of ownKeys(ambient)) {
      const descriptor = getOwnPropertyDescriptor(ambient, key);
      // Not the program's global object, nor accessors, which lead to what is outside.
      if (descriptor?.value !== undefined && !NOT_SHARED.has(key))
        starts.push(...startsAt(`core.${keyText(key)}`, descriptor));
    }
    for (const [name, object] of Object.entries(internals.wellKnown(realm)))
      if (isObject(object)) starts.push([`core.${name}`, object]);
    this.#name(this.#neutral, 'globalThis', globalThis);
    const view: unknown = ambient['globalThis'];
    if (isObject(view)) this.#name(this.#neutral, 'core.globalThis', view);
    for (const name of SINGLE) {
      const single: unknown = Reflect.get(globalThis, name);
      if (!isObject(single)) continue;
      const path = `globalThis.${name}`;
      this.#name(this.#neutral, path, single);
      for (const key of ownKeys(single)) {
        const descriptor = getOwnPropertyDescriptor(single, key);
        if (typeof descriptor?.value === 'function' || descriptor?.get !== undefined)
          starts.push(...startsAt(`${path}.${keyText(key)}`, descriptor));
      }
      starts.push([`${path}.[[Prototype]]`, getPrototypeOf(single) as object]);
    }
    for (const name of OF_PROCESS) {
      const held: unknown = Reflect.get(process, name);
      if (isObject(held)) this.#name(this.#neutral, `globalThis.process.${name}`, held);
    }
    this.#walk(starts, 'neutral');
  }

  /** Functions, prototypes and plain objects, those of the shortest ways first. */
  #walk(starts: readonly Start[], side: Side): void {
    const table = side === 'neutral' ? this.#neutral : this.#outside;
    let next: Start[] = [];
    const visit = (path: string, value: unknown, isStructure: boolean): void => {
      if (!isObject(value) || this.#isKnown(value) || isProxy(value) || isOfProgram(value)) return;
      if (!isStructure && typeof value !== 'function' && !(side === 'neutral' && Array.isArray(value))) return;
      if (this.#name(table, path, value)) next[next.length] = [path, value];
    };
    for (const [path, start] of starts) visit(path, start, isStructural(path) || isPlain(start));
    // Of a loop of ours V8 makes optimized code while it goes on, with all that is called in it: a tenth of a second of the processor's on each thread, for what runs once.
    while (next.length > 0) {
      const level = next;
      next = [];
      level.forEach((each) => this.#step(each, side, visit));
    }
  }

  #step([path, object]: Start, side: Side, visit: (path: string, value: unknown, isStructure: boolean) => void): void {
    for (const key of ownKeys(object)) {
      const { value, get, set } = getOwnPropertyDescriptor(object, key) as PropertyDescriptor;
      // Most properties lead nowhere, and need no path.
      if (!isObject(value) && get === undefined && set === undefined) continue;
      const at = `${path}.${keyText(key)}`;
      // `dns.promises` has functions of `dns`.
      if (side === 'outside' && typeof value === 'function' && this.#outside.has(value)) this.#aliases.set(at, value);
      if (isObject(value)) visit(at, value, key === 'prototype' || (isPlain(value) && side === 'neutral'));
      if (get !== undefined) visit(`get ${at}`, get, true);
      if (set !== undefined) visit(`set ${at}`, set, true);
    }
    visit(`${path}.[[Prototype]]`, getPrototypeOf(object), true);
  }

  /** Answers whether it is new. */
  #name(table: WeakMap<object, string>, path: string, object: object): boolean {
    if (this.#isKnown(object)) return false;
    table.set(object, path);
    if (!this.#objects.has(path)) this.#objects.set(path, object);
    // Node's own, in whose place ours stands, is met inside of Node.
    const native = typeof object === 'function' ? functionBehind(object) : undefined;
    if (native !== undefined && !this.#isKnown(native)) table.set(native, path);
    return true;
  }

  #isKnown(object: object): boolean {
    return this.#neutral.has(object) || this.#outside.has(object);
  }
}

function ownersOf(root: string): string[] {
  // The files that Node's own modules consist of, which are builtins as well.
  const [, owner] = /^_(http|stream|tls)_/.exec(root) ?? [];
  return owner === undefined ? (OWNERS[root]?.split(' ') ?? []) : [owner];
}

function isShared(key: PropertyKey): boolean {
  return typeof key === 'string' && !NOT_SHARED.has(key) && !WEB_NAMES.has(key) && !LAZY_NAMES.has(key);
}

/** Also those that only a scheme leads to. */
function isKnownBuiltin(name: string): boolean {
  return isBuiltin(name) || isBuiltin(`node:${name}`);
}

function isPlain(value: object): boolean {
  if (typeof value === 'function') return true;
  const prototype = isProxy(value) ? undefined : getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function startsAt(path: string, descriptor: PropertyDescriptor | undefined): Start[] {
  const { value, get, set } = descriptor ?? {};
  const starts: Start[] = [];
  if (isObject(value)) starts.push([path, value]);
  if (get !== undefined) starts.push([`get ${path}`, get]);
  if (set !== undefined) starts.push([`set ${path}`, set]);
  return starts;
}

function isStructural(path: string): boolean {
  return path.endsWith('.prototype') || path.endsWith('[[Prototype]]') || path.startsWith('%');
}

function keyText(key: PropertyKey): string {
  return typeof key === 'symbol' ? `@@${key.description ?? ''}` : String(key);
}

/** Prototypes of the language to which no name leads. */
function hiddenIntrinsics(): Start[] {
  const above = (object: object): object => getPrototypeOf(object) as object;
  return [
    ['%TypedArray%', above(Uint8Array)],
    ['%ArrayIteratorPrototype%', above([][Symbol.iterator]())],
    ['%MapIteratorPrototype%', above(new Map()[Symbol.iterator]())],
    ['%SetIteratorPrototype%', above(new Set()[Symbol.iterator]())],
    ['%StringIteratorPrototype%', above(''[Symbol.iterator]())],
    ['%RegExpStringIteratorPrototype%', above(/a/g[Symbol.matchAll](''))],
    ['%IteratorHelperPrototype%', above(Iterator.from([]).take(0))],
    ['%AsyncFunctionPrototype%', above(async () => {})],
    ['%GeneratorFunctionPrototype%', above(function* () {})],
    ['%AsyncGeneratorFunctionPrototype%', above(async function* () {})],
  ];
}
