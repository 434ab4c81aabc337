// Objects that exist in every realm before a program runs, by name: intrinsics, reachable and hidden, core's own, and
// builtin modules from the loader. States contain their names only. The program's changes to them *are* state: the
// baseline keeps the initial properties and `changes` returns the differences.

import { internals, isObject, type CoreKind, type Realm } from '@turntable/core';
import {
  Baseline,
  UNREAD,
  type Confirmation,
  type ChangeFilter,
  type ObjectChange,
  type OwnProperties,
  type UnreadProperties,
} from './baseline.ts';
import {
  apply,
  defineProperty,
  descriptorOf,
  forEach,
  ownKeys,
  prototypeOf,
  SafeMap,
  SafeSet,
  symbolsOf,
} from './intrinsics.ts';

export interface KnownObjectsOptions {
  /** Objects to name in addition, for example `node:fs`, with the objects that their properties lead to. */
  readonly namedObjects?: Readonly<Record<string, object>>;
  /** Reachable objects that must not be named, such as the program's global object. */
  readonly excludedObjects?: readonly object[];
  /** Instances of host classes by class name. Their symbol keys are named. */
  readonly samples?: Readonly<Record<string, object>>;
  /** Decides whether a change of a host object is the program's. If absent, host objects are not checked. */
  readonly hostChangeFilter?: ChangeFilter;
  /** Globals that must not be read before the program or the host reads them, and whether a value was replaced. */
  readonly unreadGlobals?: Pick<UnreadProperties, 'is'> & { isReplaced(key: PropertyKey): boolean };
  /** Returns whether an embedder put the value there for the program and restores it itself, so it is no change. */
  isStandIn?(value: object, key: PropertyKey): boolean;
  isProxy(value: unknown): boolean;
  /** Called for an unknown name; may add the object, if it is created lazily. */
  onMissingName?(name: string): void;
}

/**
 * Names of the language's and core's objects. Only the program changes these; host objects also change by themselves.
 */
const LANGUAGE_NAME =
  /^(?:[gs]et )?(?:%|core:|(?:Object|Function|Array|Number|parseFloat|parseInt|Boolean|String|Symbol|Date|Promise|RegExp|\w*Error|JSON|Math|Intl|ArrayBuffer|\w+Array|DataView|Map|BigInt|Set|Iterator|WeakMap|WeakSet|WeakRef|Proxy|Reflect|FinalizationRegistry|decodeURI|decodeURIComponent|encodeURI|encodeURIComponent|escape|unescape|eval|isFinite|isNaN|Atomics|DisposableStack|AsyncDisposableStack)(?:\.|$))/;

/** Prototypes of the host and core whose objects keep all state in properties. */
const ORDINARY_PROTOTYPE_NAME =
  /^core:|(?:^|\.)(?:EventEmitter|StringDecoder|Url|Iterator|AsyncIterator|Object|Function|\w*Error|Buffer|\w+Array)\.prototype$|^%/;
const PROTOTYPE_SUFFIX = '.prototype';
const GLOBAL_NAME = 'globalThis';
/** Prefix of the names of symbols that are keys of host objects. */
const KEY_PREFIX = 'key ';

/** Changes of the known objects, as returned by `KnownObjects.lastChanges`. */
export interface KnownObjectChanges {
  readonly language: readonly ObjectChange[];
  readonly host: readonly ObjectChange[];
}

export class KnownObjects {
  /** Known objects that are neither functions nor proxies, and known proxies. Functions are found by `nameOf`. */
  readonly objects: object[] = [];
  readonly proxies: object[] = [];
  readonly #hostClassByPrototype = new SafeMap<object, string>();
  readonly #nameByObject = new SafeMap<object | symbol, string>();
  readonly #objectByName = new SafeMap<string, object | symbol>();
  readonly #languageBaseline: Baseline;
  readonly #hostBaseline: Baseline;
  readonly #hostChangeFilter: ChangeFilter | undefined;
  readonly #onMissingName: KnownObjectsOptions['onMissingName'];
  readonly #unreadGlobals: KnownObjectsOptions['unreadGlobals'];
  /** Names and properties found since the last walk was registered. */
  #newNames: [name: string, object: object][] = [];
  #readProperties = new SafeMap<object, OwnProperties>();
  readonly #isStandIn: ((value: object, key: PropertyKey) => boolean) | undefined;
  readonly #isLanguageChange: ChangeFilter | undefined;
  readonly #realm: Realm;
  readonly #isProxy: (value: unknown) => boolean;
  #currentChanges: readonly ObjectChange[] | undefined;
  #isScanned = false;
  readonly #excluded = new SafeSet<object>();
  /** Symbol keys under which Node keeps its own state in objects. */
  readonly #hostKeys = new SafeSet<PropertyKey>();
  /** Names for symbol keys of host objects, one for each path found. `#nameKeys` registers them. */
  #metKeys: [name: string, key: symbol][] = [];

  constructor(realm: Realm, options: KnownObjectsOptions) {
    this.#realm = realm;
    this.#isProxy = options.isProxy;
    const firstUnlike = realm.parts.host.engine?.firstDifferentShape;
    this.#unreadGlobals = options.unreadGlobals;
    const { unreadGlobals } = options;
    this.#languageBaseline = new Baseline(
      firstUnlike,
      unreadGlobals && {
        is: unreadGlobals.is,
        isHostValue: (key, current) =>
          typeof current.value === 'function' && !unreadGlobals.isReplaced(key) && !this.#isProgramProperty(current),
      },
    );
    this.#hostBaseline = new Baseline(firstUnlike);
    this.#hostChangeFilter = options.hostChangeFilter;
    const { isStandIn } = options;
    if (isStandIn !== undefined) {
      this.#isStandIn = isStandIn;
      this.#isLanguageChange = (_, key, __, current) => !isObject(current?.value) || !isStandIn(current.value, key);
    }
    this.#onMissingName = options.onMissingName;
    for (const each of options.excludedObjects ?? []) this.#excluded.add(each);
    for (const [name, object] of namedCoreObjects(realm)) this.#addName(name, object);
    const { namedObjects = {} } = options;
    const roots: [string, object][] = [[GLOBAL_NAME, globalThis]];
    // A walk calls no getters, behind which Node keeps this class and the class of its instances.
    const { Buffer: type } = globalThis as unknown as { Buffer?: { readonly [Symbol.species]: object } };
    if (type !== undefined) roots.push(['Buffer', type], [`Buffer.${keyName(Symbol.species)}`, type[Symbol.species]]);
    roots.push(...hiddenIntrinsics());
    for (const name of ownKeys(namedObjects) as string[]) roots.push([name, namedObjects[name] as object]);
    roots.push(...namedCoreObjects(realm));
    // All at once, so that each object gets its shortest name.
    this.#walk(roots);
    for (const name of ownKeys(options.samples ?? {}) as string[])
      this.#noteKeys(name, (options.samples as Record<string, object>)[name] as object);
    this.#nameKeys();
    this.#registerNew();
  }

  /**
   * Names an object and all it leads to. `alone`: only the object; `watched`: likewise, and its changes are state;
   * `ordinary`: its classes have no hidden state; `late`: the program may have changed it already, so functions of
   * the program get no names and count as changes.
   */
  add(name: string, object: object, mode?: 'alone' | 'watched' | 'late' | 'ordinary'): void {
    if (mode === 'alone' || mode === 'watched') {
      const isNew = this.#addName(name, object);
      this.#newNames = [];
      if (!isNew || mode === 'alone' || this.#hostChangeFilter === undefined) return;
      this.#noteKeys(name, object);
      this.#nameKeys();
      this.#hostBaseline.add(object);
      return;
    }
    this.#walk([[name, object]], mode === 'late');
    this.#nameKeys();
    this.#registerNew(mode);
  }

  /**
   * Names objects that were created after the start, each with its shortest name.
   * @param isBroughtByHost whether the host has added this global property with them
   */
  addLate(
    namedObjects: readonly (readonly [name: string, object: object])[],
    isBroughtByHost: (key: PropertyKey) => boolean,
  ): void {
    const hostObjects = namedObjects.filter(
      ([, each]) => typeof each !== 'function' || !this.#isProgramFunction(each as () => unknown),
    );
    this.#walk(hostObjects, true);
    this.#nameKeys();
    this.#registerNew('late');
    const properties = ownKeys(globalThis)
      .filter((key) => isBroughtByHost(key) || hostObjects.some(([name]) => name === key))
      .map((key) => [key, descriptorOf(globalThis, key) as PropertyDescriptor] as const)
      .filter(([, descriptor]) => !this.#isProgramProperty(descriptor));
    this.#languageBaseline.accept({ object: globalThis, properties: properties as never, isSealed: false });
  }

  /** Registers the objects of a walk with their properties. `late`: also checks for changes. */
  #registerNew(mode?: 'late' | 'ordinary'): void {
    const [newNames, readProperties] = [this.#newNames, this.#readProperties];
    this.#newNames = [];
    this.#readProperties = new SafeMap();
    forEach(newNames, ([name, object]) => this.#register(name, object, readProperties.get(object), mode));
  }

  #register(name: string, object: object, properties: OwnProperties | undefined, mode?: 'late' | 'ordinary'): void {
    if (mode !== 'ordinary') this.#noteHostClass(name, object);
    // The global object is read again: reading some of its properties has made Node define others.
    if (name === GLOBAL_NAME) this.#languageBaseline.add(object);
    // A proxy shows properties of its target, and reading the program's view of the global object would load lazy
    // globals.
    else if (LANGUAGE_NAME.test(name) && !this.#isProxy(object)) this.#languageBaseline.add(object, properties);
    else if (this.#hostChangeFilter !== undefined && properties !== undefined) {
      this.#hostBaseline.add(object, properties);
      if (mode === 'late') this.#hostBaseline.check(object, this.#isHostChange);
    }
  }

  #noteHostClass(name: string, object: object): void {
    const type = this.#isProxy(object) ? undefined : constructorOf(object);
    if (type === undefined && !name.endsWith(PROTOTYPE_SUFFIX)) return;
    const ownName: unknown = type === undefined ? undefined : descriptorOf(type, 'name')?.value;
    if (ORDINARY_PROTOTYPE_NAME.test(name) || ORDINARY_PROTOTYPE_NAME.test(`${String(ownName)}${PROTOTYPE_SUFFIX}`))
      return;
    const path = (type && this.#nameByObject.get(type)) ?? name.slice(0, -PROTOTYPE_SUFFIX.length);
    // The first path to some classes gives a meaningless name.
    this.#hostClassByPrototype.set(
      object,
      path.includes('[[Prototype]]') && typeof ownName === 'string' && ownName !== '' ? ownName : path,
    );
  }

  nameOf(object: object | symbol): string | undefined {
    return this.#nameByObject.get(object);
  }

  /** Returns the host class that keeps hidden state in objects with this prototype. */
  hostClassOf(prototype: object): string | undefined {
    return this.#hostClassByPrototype.get(prototype);
  }

  objectNamed(name: string): object | symbol | undefined {
    if (!this.#objectByName.has(name)) this.#onMissingName?.(name);
    return this.#objectByName.get(name);
  }

  /** Makes states that contain the name refer to the object. */
  setAlias(name: string, object: object): void {
    this.#objectByName.set(name, object);
  }

  forEach(callback: (object: object) => void): void {
    this.#nameByObject.forEach((_, object) => {
      if (typeof object !== 'symbol') callback(object);
    });
  }

  /** Returns the changes of all known objects. */
  changes(): readonly ObjectChange[] {
    if (this.#currentChanges !== undefined) return this.#currentChanges;
    const { language, host } = this.#scan();
    return concatChanges(language, host);
  }

  #scan(): KnownObjectChanges {
    const changes = { language: this.#languageBaseline.findChanges(this.#isLanguageChange), host: this.#hostChanges() };
    this.#isScanned = true;
    return changes;
  }

  /** Changes of the objects that had changed before; see `confirmation` for others. Undefined before a full check. */
  get lastChanges(): KnownObjectChanges | undefined {
    if (!this.#isScanned) return undefined;
    const host = this.#hostChangeFilter === undefined ? [] : this.#hostBaseline.recheckChanged(this.#isHostChange);
    return { language: this.#languageBaseline.recheckChanged(this.#isLanguageChange), host: this.#sortByName(host) };
  }

  /** Starts to check in slices that `lastChanges`, taken now, lacks nothing. `changed` names a change that it lacks. */
  confirmation(): (budget: number) => 'same' | { readonly changed: string } | 'more' {
    const confirmation = this.#startConfirmation();
    return (budget) => {
      const result = confirmation(budget);
      return typeof result === 'string' ? result : { changed: this.#nameOfChange(result.changed) };
    };
  }

  /** Returns the name of a changed property, or of the object. */
  #nameOfChange({ object, properties }: ObjectChange): string {
    const name = this.#nameByObject.get(object) as string;
    const [key] = properties[0] ?? [];
    if (key === undefined) return name;
    return typeof key === 'symbol' ? `${name}[${String(key)}]` : `${name}.${String(key)}`;
  }

  #startConfirmation(): Confirmation {
    const language = this.#languageBaseline.confirmation(this.#isLanguageChange);
    const host = this.#hostChangeFilter === undefined ? undefined : this.#hostBaseline.confirmation(this.#isHostChange);
    let isLanguageDone = false;
    return (budget) => {
      if (!isLanguageDone) {
        const result = language(budget);
        isLanguageDone = result === 'same';
        return isLanguageDone && host !== undefined ? 'more' : result;
      }
      return host?.(budget) ?? 'same';
    };
  }

  /**
   * Runs `load`, which loads native code, and makes its changes initial properties, because it makes them in every
   * process. If `load` returns a promise, this happens when the promise settles.
   */
  acceptingChanges<R>(load: () => R): R {
    if (this.#hostChangeFilter === undefined) return load();
    const { language, host } = this.#scan();
    const accept = (): void => {
      const languageBaseline = this.#languageBaseline;
      this.#acceptNewChanges(languageBaseline, language, languageBaseline.findChanges(this.#isLanguageChange));
      this.#acceptNewChanges(this.#hostBaseline, host, this.#hostChanges());
    };
    const result = load();
    if (result instanceof Promise) result.then(accept, accept);
    else accept();
    return result;
  }

  #acceptNewChanges(baseline: Baseline, before: readonly ObjectChange[], after: readonly ObjectChange[]): void {
    for (const change of after) {
      const previousProperties = before.find(({ object }) => object === change.object)?.properties ?? [];
      const properties = change.properties.filter(([key, current]) => {
        if (current === undefined || current.value !== Object(current.value) || this.#isProgramProperty(current))
          return false;
        return previousProperties.every(([k, previous]) => k !== key || previous?.value !== current.value);
      });
      if (properties.length > 0) baseline.accept({ ...change, properties });
    }
  }

  #hostChanges(): ObjectChange[] {
    return this.#hostChangeFilter === undefined
      ? []
      : this.#sortByName(this.#hostBaseline.findChanges(this.#isHostChange));
  }

  // State that Node keeps under its own symbols is not the program's.
  readonly #isHostChange: ChangeFilter = (object, key, original, current) =>
    !this.#hostKeys.has(key) &&
    !(this.#isStandIn !== undefined && isObject(current?.value) && this.#isStandIn(current.value, key)) &&
    this.#hostChangeFilter?.(object, key, original, current) !== false;

  /** Sorts by name, since the order of objects depends on the order in which Node loads its parts. */
  #sortByName(changes: ObjectChange[]): ObjectChange[] {
    const name = ({ object }: ObjectChange): string => this.#nameByObject.get(object) as string;
    for (let i = 1; i < changes.length; i++) {
      const change = changes[i] as ObjectChange;
      let slot = i;
      for (; slot > 0 && name(changes[slot - 1] as ObjectChange) > name(change); slot--)
        changes[slot] = changes[slot - 1] as ObjectChange;
      changes[slot] = change;
    }
    return changes;
  }

  /** Returns the initial descriptor of a host object's property. */
  originalDescriptor(object: object, key: PropertyKey): PropertyDescriptor | undefined {
    return this.#hostBaseline.originalDescriptor(object, key);
  }

  /** Runs `action`, which must not run program code, with the original builtins. @param changes if already known */
  withOriginalBuiltins<R>(action: () => R, changes?: KnownObjectChanges): R {
    if (this.#currentChanges !== undefined) return action();
    const { language, host } = changes ?? this.#scan();
    const redoLanguageChanges = this.#languageBaseline.restoreOriginals(language);
    const redoHostChanges = this.#hostBaseline.restoreOriginals(host);
    this.#currentChanges = concatChanges(language, host);
    try {
      return action();
    } finally {
      this.#currentChanges = undefined;
      redoHostChanges();
      redoLanguageChanges();
    }
  }

  #addName(name: string, object: object | symbol): boolean {
    if (this.#nameByObject.has(object)) return false;
    if (typeof object !== 'symbol' && this.#excluded.has(object)) return false;
    this.#nameByObject.set(object, name);
    if (typeof object !== 'symbol') {
      this.#newNames[this.#newNames.length] = [name, object];
      if (this.#isProxy(object)) this.proxies[this.proxies.length] = object;
      else if (typeof object !== 'function') this.objects[this.objects.length] = object;
    }
    this.#objectByName.set(name, object);
    return true;
  }

  /** Names objects and, breadth first, those in their properties and prototypes. Names getters without calling them. */
  #walk(roots: readonly (readonly [name: string, object: object])[], isLate = false): void {
    const queue: [string, object][] = [];
    for (const [name, start] of roots) {
      this.#addName(name, start);
      queue.push([name, start]);
    }
    // Each object is walked once: a root that is already named has been walked. `forEach`, because V8 would optimize a
    // loop with all its callees while it runs, which costs a tenth of a second per thread for a single run.
    for (let level = queue; level.length > 0;) {
      const next: [string, object][] = [];
      forEach(level, (each) => this.#walkProperties(each, next, isLate));
      level = next;
    }
  }

  /** Visits the properties of an object. Builds names only for properties that lead to new objects, as few do. */
  #walkProperties([path, object]: [string, object], next: [string, object][], isLate: boolean): void {
    if (this.#isProxy(object)) return;
    const isGlobal = path === GLOBAL_NAME;
    const properties: { keys: PropertyKey[]; descriptors: PropertyDescriptor[] } = {
      keys: ownKeys(object),
      descriptors: [],
    };
    for (const key of properties.keys) {
      const { descriptors } = properties;
      if (typeof key === 'symbol') this.#noteKey(path, key);
      if (isGlobal && this.#unreadGlobals?.is(object, key) === true) {
        descriptors[descriptors.length] = UNREAD;
        continue;
      }
      const descriptor = descriptorOf(object, key) as PropertyDescriptor;
      descriptors[descriptors.length] = descriptor;
      // Node's own symbol keys of the global object vary.
      if (isGlobal && typeof key === 'symbol') continue;
      // Tests for an own field, since the program may have given all objects a `get`.
      if ('value' in descriptor) {
        const { value } = descriptor;
        if (this.#isNew(value)) this.#visit(next, path, nameOfProperty(path, key), value, isLate);
        continue;
      }
      const { get, set } = descriptor;
      if (this.#isNew(get)) this.#visit(next, path, `get ${nameOfProperty(path, key)}`, get, isLate);
      if (this.#isNew(set)) this.#visit(next, path, `set ${nameOfProperty(path, key)}`, set, isLate);
    }
    const prototype = prototypeOf(object);
    if (this.#isNew(prototype)) this.#visit(next, path, `${path}.[[Prototype]]`, prototype, isLate);
    this.#readProperties.set(object, isLate ? this.#withoutProgramProperties(properties) : properties);
  }

  #isNew(value: unknown): value is object | symbol {
    return (typeof value === 'symbol' || isObject(value)) && !this.#nameByObject.has(value);
  }

  #visit(next: [string, object][], path: string, name: string, value: object | symbol, isLate: boolean): void {
    if (typeof value === 'symbol') this.#addName(name, value);
    else if (!this.#isProxy(value) && isHostInstance(name, value, path)) return;
    else if (isLate && typeof value === 'function' && this.#isProgramFunction(value as () => unknown)) return;
    else if (this.#addName(name, value)) next[next.length] = [name, value];
  }

  /** Returns the properties that the program has not added. */
  #withoutProgramProperties({ keys, descriptors }: OwnProperties): OwnProperties {
    const remaining: { keys: PropertyKey[]; descriptors: PropertyDescriptor[] } = { keys: [], descriptors: [] };
    for (let i = 0; i < keys.length; i++) {
      const descriptor = descriptors[i] as PropertyDescriptor;
      if (this.#isProgramProperty(descriptor)) continue;
      remaining.keys[remaining.keys.length] = keys[i] as PropertyKey;
      remaining.descriptors[remaining.descriptors.length] = descriptor;
    }
    return remaining;
  }

  #isProgramProperty({ value, get, set }: PropertyDescriptor): boolean {
    const isOfProgram = (part: unknown): boolean =>
      typeof part === 'function' && this.#isProgramFunction(part as () => unknown);
    return isOfProgram(value) || isOfProgram(get) || isOfProgram(set);
  }

  #isProgramFunction(fn: () => unknown): boolean {
    return internals.isCapturable(fn) || this.#realm.classOf(fn) !== undefined;
  }

  #noteKeys(path: string, object: object): void {
    const keys = symbolsOf(object);
    for (let i = 0; i < keys.length; i++) this.#noteKey(path, keys[i] as symbol);
  }

  #noteKey(path: string, key: symbol): void {
    this.#metKeys[this.#metKeys.length] = [`${KEY_PREFIX}${path}.${keyName(key)}`, key];
  }

  /** Names the symbol keys of host objects. */
  #nameKeys(): void {
    for (let i = 0; i < this.#metKeys.length; i++) {
      const [name, key] = this.#metKeys[i] as [string, symbol];
      if (keyFor(key) !== undefined) continue;
      if (!this.#objectByName.has(name)) this.#addName(name, key);
      if (this.#nameByObject.get(key)?.startsWith(KEY_PREFIX) === true) this.#hostKeys.add(key);
    }
    this.#metKeys = [];
  }
}

/** Concatenates without iterators, which the program may have replaced. */
function concatChanges(a: readonly ObjectChange[], b: readonly ObjectChange[]): ObjectChange[] {
  const combined: ObjectChange[] = [];
  for (let i = 0; i < a.length + b.length; i++)
    defineProperty(combined, i, {
      __proto__: null,
      value: i < a.length ? a[i] : b[i - a.length],
      writable: true,
      enumerable: true,
      configurable: true,
    } as PropertyDescriptor);
  return combined;
}

/** Returns whether the host made an instance, for example a stream of `console`. Instances differ between processes. */
function isHostInstance(name: string, value: unknown, holder: string): boolean {
  if (typeof value !== 'object' || value === null || holder === GLOBAL_NAME || LANGUAGE_NAME.test(name)) return false;
  if (name.endsWith(PROTOTYPE_SUFFIX) || name.endsWith('.[[Prototype]]')) return false;
  const prototype = prototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}

const { keyFor } = Symbol;

/** Returns the class whose prototype the object is. */
function constructorOf(object: object): object | undefined {
  const type: unknown = descriptorOf(object, 'constructor')?.value;
  return typeof type === 'function' && descriptorOf(type, 'prototype')?.value === object ? type : undefined;
}

/** Returns the name of an object's property. */
function nameOfProperty(path: string, key: PropertyKey): string {
  return path === GLOBAL_NAME ? keyName(key) : `${path}.${keyName(key)}`;
}

function keyName(key: PropertyKey): string {
  if (typeof key !== 'symbol') return String(key);
  return `@@${key.description ?? ''}`;
}

function hiddenIntrinsics(): [string, object][] {
  const proto = (object: object): object => prototypeOf(object) as object;
  return [
    ['%TypedArray%', proto(Uint8Array)],
    ['%ArrayIteratorPrototype%', proto([][Symbol.iterator]())],
    ['%MapIteratorPrototype%', proto(new Map()[Symbol.iterator]())],
    ['%SetIteratorPrototype%', proto(new Set()[Symbol.iterator]())],
    ['%StringIteratorPrototype%', proto(''[Symbol.iterator]())],
    ['%RegExpStringIteratorPrototype%', proto(apply(RegExp.prototype[Symbol.matchAll] as () => object, /a/g, ['']))],
    ['%IteratorHelperPrototype%', proto(Iterator.from([]).take(0))],
    [
      '%WrapForValidIteratorPrototype%',
      proto(Iterator.from({ next: () => ({ done: true, value: 0 }) } as Iterator<0>)),
    ],
    ['%AsyncFunction.prototype%', proto(async () => {})],
    ['%GeneratorFunction.prototype%', proto(function* () {})],
    ['%AsyncGeneratorFunction.prototype%', proto(async function* () {})],
    ['%ThrowTypeError%', descriptorOf((function () { 'use strict'; return arguments; })(), 'callee')?.get as object], // prettier-ignore
  ];
}

/** Kinds of core's plain state objects, whose prototypes are named. */
export const PLAIN_CORE_KINDS = [
  'frame',
  'reaction',
  'continuation',
  'thenableJob',
  'callbackJob',
  'asyncGeneratorState',
  'forOf',
  'forIn',
  'delegate',
  'asyncDelegate',
  'arrayElements',
  'asyncIteration',
  'disposalStack',
  'mappedParameter',
] as const satisfies readonly CoreKind[];

function namedCoreObjects(realm: Realm): [string, object][] {
  const namedObjects: [string, object][] = [];
  const wellKnown = internals.wellKnown(realm);
  for (const name of ownKeys(wellKnown) as string[])
    namedObjects[namedObjects.length] = [`core:${name}`, wellKnown[name] as object];
  for (const kind of [...PLAIN_CORE_KINDS, 'cell', 'asyncFromSync'] as CoreKind[]) {
    namedObjects[namedObjects.length] = [`core:${kind}`, prototypeOf(internals.allocate(realm, kind)) as object];
  }
  const { context } = internals.allocate(realm, 'frame') as { context: { home: object } };
  namedObjects[namedObjects.length] = ['core:context', context];
  namedObjects[namedObjects.length] = ['core:home', context.home];
  return namedObjects;
}
