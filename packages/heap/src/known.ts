// Everything that exists in every realm before a program runs, by name: intrinsics reached from the global object and the hidden
// ones, core's own, what the loader adds (builtin modules). Written as names, never as state. What a program changed about
// them *is* state: the baseline keeps their properties as they were, `differences` finds what is no longer so.

import { internals, isObject, type CoreKind, type Realm } from '@turntable/core';
import {
  Baseline,
  UNREAD,
  type Confirmation,
  type Counts,
  type Difference,
  type ReadProperties,
  type Unread,
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

export interface KnownOptions {
  /** More named objects: `node:fs` and its like. Their properties are named too, as deep as they are plain. */
  readonly more?: Readonly<Record<string, object>>;
  /** Objects that must not be named although they can be reached, such as the program's own global object. */
  readonly except?: readonly object[];
  /** Objects of the host's as programs make them, by the names of their classes: symbols that are keys of theirs get names. */
  readonly samples?: Readonly<Record<string, object>>;
  /** Which changes of the host's objects are the program's. Without it, the host's objects are not looked at. */
  readonly countsOfHost?: Counts;
  /** Properties of the global object that must not be read before the program or the host has read them. `isReplaced`: another value was put there. */
  readonly unread?: Pick<Unread, 'is'> & { isReplaced(key: PropertyKey): boolean };
  /** What somebody else has put into known objects on behalf of the program, and carries over himself: no change. */
  standsIn?(value: object, key: PropertyKey): boolean;
  isProxy(value: unknown): boolean;
  /** Is told of a name that nothing has yet, and may add something of that name: what is made when it is first asked for. */
  miss?(name: string): void;
}

/** What belongs to the language, and to core. All its changes are the program's; objects of the host change by themselves (`process`). */
const LANGUAGE =
  /^(?:[gs]et )?(?:%|core:|(?:Object|Function|Array|Number|parseFloat|parseInt|Boolean|String|Symbol|Date|Promise|RegExp|\w*Error|JSON|Math|Intl|ArrayBuffer|\w+Array|DataView|Map|BigInt|Set|Iterator|WeakMap|WeakSet|WeakRef|Proxy|Reflect|FinalizationRegistry|decodeURI|decodeURIComponent|encodeURI|encodeURIComponent|escape|unescape|eval|isFinite|isNaN|Atomics|DisposableStack|AsyncDisposableStack)(?:\.|$))/;

/** Prototypes of the host whose objects are ordinary ones: core's, and those that keep all they have in properties. */
const ORDINARY =
  /^core:|(?:^|\.)(?:EventEmitter|StringDecoder|Url|Iterator|AsyncIterator|Object|Function|\w*Error|Buffer|\w+Array)\.prototype$|^%/;
const PROTOTYPE = '.prototype';
const GLOBAL = 'globalThis';
/** Begins the names of symbols that are keys of the host's objects. */
const KEY = 'key ';

/** What of the known objects is no longer as it was, as `KnownObjects.last` tells. */
export interface Differences {
  readonly language: readonly Difference[];
  readonly host: readonly Difference[];
}

export class KnownObjects {
  /** Of what has names: ordinary objects, and all proxies. Functions are looked up. */
  readonly objects: object[] = [];
  readonly proxies: object[] = [];
  readonly #hosts = new SafeMap<object, string>();
  readonly #names = new SafeMap<object | symbol, string>();
  readonly #values = new SafeMap<string, object | symbol>();
  readonly #baseline: Baseline;
  readonly #hostBaseline: Baseline;
  readonly #countsOfHost: Counts | undefined;
  readonly #miss: KnownOptions['miss'];
  readonly #unread: KnownOptions['unread'];
  /** What has got a name, and what has been read of objects, since the last walk was settled. */
  #fresh: [name: string, object: object][] = [];
  #reads = new SafeMap<object, ReadProperties>();
  readonly #standsIn: ((value: object, key: PropertyKey) => boolean) | undefined;
  readonly #countsAsLanguage: Counts | undefined;
  readonly #realm: Realm;
  readonly #isProxy: (value: unknown) => boolean;
  #found: readonly Difference[] | undefined;
  #isScanned = false;
  readonly #except = new SafeSet<object>();
  /** Symbols under which Node keeps in its objects what stays Node's. */
  readonly #hostKeys = new SafeSet<PropertyKey>();
  /** Keys that have been met; other ways to a symbol give it better names. */
  #keys: [name: string, key: symbol][] = [];

  constructor(realm: Realm, options: KnownOptions) {
    this.#realm = realm;
    this.#isProxy = options.isProxy;
    const firstUnlike = realm.parts.host.engine?.firstUnlike;
    this.#unread = options.unread;
    const { unread } = options;
    this.#baseline = new Baseline(
      firstUnlike,
      unread && {
        is: unread.is,
        isOfHost: (key, now) =>
          typeof now.value === 'function' && !unread.isReplaced(key) && !this.#isPartOfProgram(now),
      },
    );
    this.#hostBaseline = new Baseline(firstUnlike);
    this.#countsOfHost = options.countsOfHost;
    const { standsIn } = options;
    if (standsIn !== undefined) {
      this.#standsIn = standsIn;
      this.#countsAsLanguage = (_, key, __, now) => !isObject(now?.value) || !standsIn(now.value, key);
    }
    this.#miss = options.miss;
    for (const each of options.except ?? []) this.#except.add(each);
    for (const [name, object] of coreObjects(realm)) this.#name(name, object);
    const { more = {} } = options;
    const roots: [string, object][] = [[GLOBAL, globalThis]];
    // Node keeps this one behind a getter, and the class that its instances are made by behind another.
    const { Buffer: type } = globalThis as unknown as { Buffer?: { readonly [Symbol.species]: object } };
    if (type !== undefined) roots.push(['Buffer', type], [`Buffer.${keyText(Symbol.species)}`, type[Symbol.species]]);
    roots.push(...hiddenIntrinsics());
    for (const name of ownKeys(more) as string[]) roots.push([name, more[name] as object]);
    roots.push(...coreObjects(realm));
    // All at once: what has a short name from somewhere is not called by a long one.
    this.#walk(roots);
    for (const name of ownKeys(options.samples ?? {}) as string[])
      this.#meetKeys(name, (options.samples as Record<string, object>)[name] as object);
    this.#nameKeys();
    this.#settle();
  }

  /**
   * Names an object that came later, and what it leads to; `alone` only itself, `watched` as well, and with changes of its properties.
   * `ordinary`: its classes keep nothing hidden in their objects. `late`: the program may have changed it by now, so functions of the program get no names and count as changes.
   */
  add(name: string, object: object, how?: 'alone' | 'watched' | 'late' | 'ordinary'): void {
    if (how === 'alone' || how === 'watched') {
      const isNew = this.#name(name, object);
      this.#fresh = [];
      if (!isNew || how === 'alone' || this.#countsOfHost === undefined) return;
      this.#meetKeys(name, object);
      this.#nameKeys();
      this.#hostBaseline.add(object);
      return;
    }
    this.#walk([[name, object]], how === 'late');
    this.#nameKeys();
    this.#settle(how);
  }

  /** Names objects that came late, all at once: each gets its shortest name. `brings`: what the host has put into the global object with them. */
  addLate(named: readonly (readonly [name: string, object: object])[], brings: (key: PropertyKey) => boolean): void {
    const ofHost = named.filter(([, each]) => typeof each !== 'function' || !this.#isOfProgram(each as () => unknown));
    this.#walk(ofHost, true);
    this.#nameKeys();
    this.#settle('late');
    const properties = ownKeys(globalThis)
      .filter((key) => brings(key) || ofHost.some(([name]) => name === key))
      .map((key) => [key, descriptorOf(globalThis, key) as PropertyDescriptor] as const)
      .filter(([, descriptor]) => !this.#isPartOfProgram(descriptor));
    this.#baseline.accept({ object: globalThis, properties: properties as never, sealed: false });
  }

  /** After a walk: whose each object is, and what it was. `late`: which of them is different already. */
  #settle(how?: 'late' | 'ordinary'): void {
    const [fresh, reads] = [this.#fresh, this.#reads];
    this.#fresh = [];
    this.#reads = new SafeMap();
    forEach(fresh, ([name, object]) => this.#settleOne(name, object, reads.get(object), how));
  }

  #settleOne(name: string, object: object, read: ReadProperties | undefined, how?: 'late' | 'ordinary'): void {
    if (how !== 'ordinary') this.#note(name, object);
    // Looking at some of its properties has made Node load what defines others.
    if (name === GLOBAL) this.#baseline.add(object);
    // A proxy is not what has its properties; the global object's view would be read as a whole, what loads when it is read among it.
    else if (LANGUAGE.test(name) && !this.#isProxy(object)) this.#baseline.add(object, read);
    else if (this.#countsOfHost !== undefined && read !== undefined) {
      this.#hostBaseline.add(object, read);
      if (how === 'late') this.#hostBaseline.look(object, this.#countsAsHost);
    }
  }

  #note(name: string, object: object): void {
    const type = this.#isProxy(object) ? undefined : classOf(object);
    if (type === undefined && !name.endsWith(PROTOTYPE)) return;
    const own: unknown = type === undefined ? undefined : descriptorOf(type, 'name')?.value;
    if (ORDINARY.test(name) || ORDINARY.test(`${String(own)}${PROTOTYPE}`)) return;
    const path = (type && this.#names.get(type)) ?? name.slice(0, -PROTOTYPE.length);
    // Some classes are met first on a way that says nothing to anybody.
    this.#hosts.set(object, path.includes('[[Prototype]]') && typeof own === 'string' && own !== '' ? own : path);
  }

  nameOf(object: object | symbol): string | undefined {
    return this.#names.get(object);
  }

  /** The class of the host that keeps something hidden in objects below this prototype. */
  hostOf(prototype: object): string | undefined {
    return this.#hosts.get(prototype);
  }

  named(name: string): object | symbol | undefined {
    if (!this.#values.has(name)) this.#miss?.(name);
    return this.#values.get(name);
  }

  /** From now on states that mention this name mean the object, whatever it is called here. */
  answer(name: string, object: object): void {
    this.#values.set(name, object);
  }

  forEach(visit: (object: object) => void): void {
    this.#names.forEach((_, object) => {
      if (typeof object !== 'symbol') visit(object);
    });
  }

  /** What of the known objects is no longer as it was. */
  differences(): readonly Difference[] {
    if (this.#found !== undefined) return this.#found;
    const { language, host } = this.#scan();
    return both(language, host);
  }

  #scan(): Differences {
    const differences = { language: this.#baseline.differences(this.#countsAsLanguage), host: this.#hostDifferences() };
    this.#isScanned = true;
    return differences;
  }

  /** The same in a hundredth of the time, if no other object has become different since: to be confirmed. Undefined before all have been looked at once. */
  get last(): Differences | undefined {
    if (!this.#isScanned) return undefined;
    const host = this.#countsOfHost === undefined ? [] : this.#hostBaseline.differencesOfChanged(this.#countsAsHost);
    return { language: this.#baseline.differencesOfChanged(this.#countsAsLanguage), host: this.#byName(host) };
  }

  /** Begins to check, in slices between turns, whether `last`, taken now, is complete: `changed` names an object that has become different, `same` means there is none. */
  confirmation(): (budget: number) => 'same' | { readonly changed: string } | 'more' {
    const confirmation = this.#confirmation();
    return (budget) => {
      const found = confirmation(budget);
      return typeof found === 'string' ? found : { changed: this.#told(found.changed) };
    };
  }

  /** One of the properties, or the object. */
  #told({ object, properties }: Difference): string {
    const name = this.#names.get(object) as string;
    const [key] = properties[0] ?? [];
    if (key === undefined) return name;
    return typeof key === 'symbol' ? `${name}[${String(key)}]` : `${name}.${String(key)}`;
  }

  #confirmation(): Confirmation {
    const language = this.#baseline.confirmation(this.#countsAsLanguage);
    const host = this.#countsOfHost === undefined ? undefined : this.#hostBaseline.confirmation(this.#countsAsHost);
    let isLanguageDone = false;
    return (budget) => {
      if (!isLanguageDone) {
        const found = language(budget);
        isLanguageDone = found === 'same';
        return isLanguageDone && host !== undefined ? 'more' : found;
      }
      return host?.(budget) ?? 'same';
    };
  }

  /** Loads native code and accepts its changes, which every process that loads it has. `load` may answer a promise of its end. */
  accepting<R>(load: () => R): R {
    if (this.#countsOfHost === undefined) return load();
    const { language, host } = this.#scan();
    const accept = (): void => {
      this.#accept(this.#baseline, language, this.#baseline.differences(this.#countsAsLanguage));
      this.#accept(this.#hostBaseline, host, this.#hostDifferences());
    };
    const loaded = load();
    if (loaded instanceof Promise) loaded.then(accept, accept);
    else accept();
    return loaded;
  }

  #accept(baseline: Baseline, before: readonly Difference[], after: readonly Difference[]): void {
    for (const difference of after) {
      const was = before.find(({ object }) => object === difference.object)?.properties ?? [];
      const properties = difference.properties.filter(([key, now]) => {
        if (now === undefined || now.value !== Object(now.value) || this.#isPartOfProgram(now)) return false;
        return was.every(([k, then]) => k !== key || then?.value !== now.value);
      });
      if (properties.length > 0) baseline.accept({ ...difference, properties });
    }
  }

  #hostDifferences(): Difference[] {
    return this.#countsOfHost === undefined ? [] : this.#byName(this.#hostBaseline.differences(this.#countsAsHost));
  }

  /** What Node keeps in its objects under symbols of its own stays Node's. */
  readonly #countsAsHost: Counts = (object, key, born, now) =>
    !this.#hostKeys.has(key) &&
    !(this.#standsIn !== undefined && isObject(now?.value) && this.#standsIn(now.value, key)) &&
    this.#countsOfHost?.(object, key, born, now) !== false;

  /** In an order that does not depend on when Node has loaded what. */
  #byName(found: Difference[]): Difference[] {
    const name = ({ object }: Difference): string => this.#names.get(object) as string;
    for (let i = 1; i < found.length; i++) {
      const difference = found[i] as Difference;
      let at = i;
      for (; at > 0 && name(found[at - 1] as Difference) > name(difference); at--)
        found[at] = found[at - 1] as Difference;
      found[at] = difference;
    }
    return found;
  }

  /** What a property of the host's objects was before the program. */
  bornAs(object: object, key: PropertyKey): PropertyDescriptor | undefined {
    return this.#hostBaseline.bornAs(object, key);
  }

  /** Acts while the language's original builtins are in place; no code of the program may run. `differences`: the program's changes, if known. */
  undisturbed<R>(action: () => R, differences?: Differences): R {
    if (this.#found !== undefined) return action();
    const { language, host } = differences ?? this.#scan();
    const disturbLanguage = this.#baseline.mend(language);
    const disturbHost = this.#hostBaseline.mend(host);
    this.#found = both(language, host);
    try {
      return action();
    } finally {
      this.#found = undefined;
      disturbHost();
      disturbLanguage();
    }
  }

  #name(name: string, object: object | symbol): boolean {
    if (this.#names.has(object)) return false;
    if (typeof object !== 'symbol' && this.#except.has(object)) return false;
    this.#names.set(object, name);
    if (typeof object !== 'symbol') {
      this.#fresh[this.#fresh.length] = [name, object];
      if (this.#isProxy(object)) this.proxies[this.proxies.length] = object;
      else if (typeof object !== 'function') this.objects[this.objects.length] = object;
    }
    this.#values.set(name, object);
    return true;
  }

  /** Names objects and, breadth first, everything their properties and prototypes lead to. Getters are named, never called. */
  #walk(roots: readonly (readonly [name: string, object: object])[], late = false): void {
    const queue: [string, object][] = [];
    for (const [name, start] of roots) {
      this.#name(name, start);
      queue.push([name, start]);
    }
    // Objects are walked once: a start that had a name before is known with all it leads to.
    // Of a loop of ours V8 makes optimized code while it goes on, with all that is called in it: a tenth of a second of the processor's on each thread, for what runs once.
    for (let level = queue; level.length > 0;) {
      const next: [string, object][] = [];
      forEach(level, (each) => this.#step(each, next, late));
      level = next;
    }
  }

  /** Most properties lead nowhere: names are made of those that do. */
  #step([path, object]: [string, object], next: [string, object][], late: boolean): void {
    if (this.#isProxy(object)) return;
    const isGlobal = path === GLOBAL;
    const read: { keys: PropertyKey[]; descriptors: PropertyDescriptor[] } = { keys: ownKeys(object), descriptors: [] };
    for (const key of read.keys) {
      const { descriptors } = read;
      if (typeof key === 'symbol') this.#meetKey(path, key);
      if (isGlobal && this.#unread?.is(object, key) === true) {
        descriptors[descriptors.length] = UNREAD;
        continue;
      }
      const descriptor = descriptorOf(object, key) as PropertyDescriptor;
      descriptors[descriptors.length] = descriptor;
      // What Node keeps there for itself is there or not, as it happens.
      if (isGlobal && typeof key === 'symbol') continue;
      // Asked for its own, since a program may have given all objects a `get`.
      if ('value' in descriptor) {
        const { value } = descriptor;
        if (this.#isNew(value)) this.#visit(next, path, nameOf(path, key), value, late);
        continue;
      }
      const { get, set } = descriptor;
      if (this.#isNew(get)) this.#visit(next, path, `get ${nameOf(path, key)}`, get, late);
      if (this.#isNew(set)) this.#visit(next, path, `set ${nameOf(path, key)}`, set, late);
    }
    const above = prototypeOf(object);
    if (this.#isNew(above)) this.#visit(next, path, `${path}.[[Prototype]]`, above, late);
    this.#reads.set(object, late ? this.#withoutProgram(read) : read);
  }

  #isNew(value: unknown): value is object | symbol {
    return (typeof value === 'symbol' || isObject(value)) && !this.#names.has(value);
  }

  #visit(next: [string, object][], path: string, name: string, value: object | symbol, late: boolean): void {
    if (typeof value === 'symbol') this.#name(name, value);
    else if (!this.#isProxy(value) && isState(name, value, path)) return;
    else if (late && typeof value === 'function' && this.#isOfProgram(value as () => unknown)) return;
    else if (this.#name(name, value)) next[next.length] = [name, value];
  }

  /** What a program has put there meanwhile was not there before it. */
  #withoutProgram({ keys, descriptors }: ReadProperties): ReadProperties {
    const kept: { keys: PropertyKey[]; descriptors: PropertyDescriptor[] } = { keys: [], descriptors: [] };
    for (let i = 0; i < keys.length; i++) {
      const descriptor = descriptors[i] as PropertyDescriptor;
      if (this.#isPartOfProgram(descriptor)) continue;
      kept.keys[kept.keys.length] = keys[i] as PropertyKey;
      kept.descriptors[kept.descriptors.length] = descriptor;
    }
    return kept;
  }

  #isPartOfProgram({ value, get, set }: PropertyDescriptor): boolean {
    const isOfProgram = (part: unknown): boolean =>
      typeof part === 'function' && this.#isOfProgram(part as () => unknown);
    return isOfProgram(value) || isOfProgram(get) || isOfProgram(set);
  }

  #isOfProgram(fn: () => unknown): boolean {
    return internals.isOurs(fn) || this.#realm.classOf(fn) !== undefined;
  }

  #meetKeys(path: string, object: object): void {
    const keys = symbolsOf(object);
    for (let i = 0; i < keys.length; i++) this.#meetKey(path, keys[i] as symbol);
  }

  #meetKey(path: string, key: symbol): void {
    this.#keys[this.#keys.length] = [`${KEY}${path}.${keyText(key)}`, key];
  }

  /** What Node keeps in objects under symbols of its own stays Node's. */
  #nameKeys(): void {
    for (let i = 0; i < this.#keys.length; i++) {
      const [name, key] = this.#keys[i] as [string, symbol];
      if (keyFor(key) !== undefined) continue;
      if (!this.#values.has(name)) this.#name(name, key);
      if (this.#names.get(key)?.startsWith(KEY) === true) this.#hostKeys.add(key);
    }
    this.#keys = [];
  }
}

/** Without iterating: a program may have replaced that. */
function both(a: readonly Difference[], b: readonly Difference[]): Difference[] {
  const all: Difference[] = [];
  for (let i = 0; i < a.length + b.length; i++)
    defineProperty(all, i, {
      __proto__: null,
      value: i < a.length ? a[i] : b[i - a.length],
      writable: true,
      enumerable: true,
      configurable: true,
    } as PropertyDescriptor);
  return all;
}

/** Objects that the host has made (the streams of `console`) differ from process to process: they and all they lead to have no names. */
function isState(name: string, value: unknown, holder: string): boolean {
  if (typeof value !== 'object' || value === null || holder === GLOBAL || LANGUAGE.test(name)) return false;
  if (name.endsWith(PROTOTYPE) || name.endsWith('.[[Prototype]]')) return false;
  const prototype = prototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}

const { keyFor } = Symbol;

/** The class that the object is the prototype of. */
function classOf(object: object): object | undefined {
  const type: unknown = descriptorOf(object, 'constructor')?.value;
  return typeof type === 'function' && descriptorOf(type, 'prototype')?.value === object ? type : undefined;
}

/** Of what an object at this path has under that key. */
function nameOf(path: string, key: PropertyKey): string {
  return path === GLOBAL ? keyText(key) : `${path}.${keyText(key)}`;
}

function keyText(key: PropertyKey): string {
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

/** Core's prototypes and constructors, and the prototypes of the plain classes that its state is made of. */
export const BLANKS = [
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

function coreObjects(realm: Realm): [string, object][] {
  const named: [string, object][] = [];
  const wellKnown = internals.wellKnown(realm);
  for (const name of ownKeys(wellKnown) as string[]) named[named.length] = [`core:${name}`, wellKnown[name] as object];
  for (const kind of [...BLANKS, 'cell', 'asyncFromSync'] as CoreKind[]) {
    named[named.length] = [`core:${kind}`, prototypeOf(internals.allocate(realm, kind)) as object];
  }
  const { context } = internals.allocate(realm, 'frame') as { context: { home: object } };
  named[named.length] = ['core:context', context];
  named[named.length] = ['core:home', context.home];
  return named;
}
