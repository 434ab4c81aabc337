// A digest of what inert graphs hold: equal for equal graphs, whatever the order in which they were written. Objects are numbered in the order in
// which they are first met from the roots, so that what counts is who holds what and what is the same, and nothing of when or where.

import { createHash, type Hash } from 'node:crypto';
import { types } from 'node:util';
import {
  Accessor,
  BuiltIn,
  classOfPrototype,
  InertFrame,
  isHeldWeakly,
  keysBesideElements,
  ProgramFunction,
  weakKindOf,
} from '@turntable/heap/inert';

export interface DigestOptions {
  /** What tells a function or class of the program from all others, besides what it holds. */
  codeOf(fn: object): string;
  /** What an object leads to besides what it holds. */
  leadsTo?(object: object): unknown;
  /** What stands in the place of a property, if it is not to count as it is. */
  shown?(object: object, key: PropertyKey, value: unknown): unknown;
  /** A property that only some of them have, and nothing comes of it. */
  isLeftOut?(object: object, key: PropertyKey): boolean;
}

/** A field that keeps nothing alive: whether there is still something in it is the collector's matter, unless something else holds that. */
type WeakField = readonly [object: number, key: string, value: object | symbol];

/** What is known of those that are below it. */
interface Prototype {
  readonly type: object | undefined;
  /** It is some other object of the state, which no class is known by. */
  readonly isOfProgram: boolean;
  readonly name: string | undefined;
}

type Weak = readonly [collection: number, entries: Map<object, unknown>, isSet: boolean];

const ROOM = 1 << 16;
const { ownKeys, getPrototypeOf, getOwnPropertyDescriptor, isExtensible } = Reflect;

export class GraphDigest {
  readonly #options: DigestOptions;
  readonly #hash: Hash = createHash('sha256');
  readonly #numbers = new Map<object | symbol, number>();
  /** Met, and from a place on still to be looked into. */
  readonly #queue: object[] = [];
  readonly #prototypes = new Map<object, Prototype>();
  readonly #weak: Weak[] = [];
  readonly #weakFields: WeakField[] = [];
  #text = '';

  constructor(options: DigestOptions) {
    this.#options = options;
  }

  /** One more root, and what it leads to. */
  add(name: string, value: unknown): void {
    this.#put(`root ${name}`);
    this.#value(value);
    this.#lookInto();
  }

  /** 64 hexadecimal digits; nothing can be added any more. */
  finish(): string {
    this.#weakEntries();
    for (const [object, key, value] of this.#weakFields) {
      const number = this.#numbers.get(value);
      if (number !== undefined) this.#put(`weak #${object} ${key} #${number}`);
    }
    this.#flush();
    return this.#hash.digest('hex');
  }

  #put(text: string): void {
    this.#text += `${text}\n`;
    if (this.#text.length >= ROOM) this.#flush();
  }

  #flush(): void {
    const text = this.#text;
    // In UTF-8 one half of a pair would be as good as any other.
    this.#hash.update(text, text.isWellFormed() ? 'utf8' : 'utf16le');
    this.#text = '';
  }

  #lookInto(): void {
    const queue = this.#queue;
    // It grows meanwhile. Taking from its beginning would move all that is behind, for each.
    for (let i = 0; i < queue.length; i++) this.#contents(queue[i] as object);
    queue.length = 0;
  }

  #value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        return this.#put(`s${value.length}:${value}`);
      case 'number':
        return this.#put(Object.is(value, -0) ? '-0' : `n${value}`);
      case 'symbol':
        return this.#symbol(value);
      case 'object':
      case 'function':
        return value === null ? this.#put('null') : this.#reference(value);
      default:
        return this.#put(`${typeof value} ${String(value)}`);
    }
  }

  #symbol(symbol: symbol): void {
    const key = Symbol.keyFor(symbol);
    if (key !== undefined) return this.#put(`symbol for ${key}`);
    this.#put(`symbol ${this.#numberOf(symbol)} ${String(symbol.description)}`);
  }

  #reference(object: object): void {
    if (object instanceof BuiltIn) return this.#put(`builtin ${object.name}`);
    if (typeof object === 'function') return this.#put(`builtin function ${object.name}`);
    const known = this.#numbers.get(object);
    if (known !== undefined) return this.#put(`#${known}`);
    this.#put(`new #${this.#numberOf(object)}`);
    this.#queue.push(object);
  }

  #numberOf(met: object | symbol): number {
    let number = this.#numbers.get(met);
    if (number === undefined) this.#numbers.set(met, (number = this.#numbers.size));
    return number;
  }

  #contents(object: object): void {
    this.#put(`${isExtensible(object) ? 'of' : 'closed'} #${this.#numberOf(object)}`);
    this.#kind(object);
    const next = this.#options.leadsTo?.(object);
    if (next !== undefined) this.#value(next);
    if (weakKindOf(object) !== undefined) {
      this.#weak.push([this.#numberOf(object), object as Map<object, unknown>, weakKindOf(object) === 'set']);
    } else if (types.isMap(object)) {
      Map.prototype.forEach.call(object, (value: unknown, key: unknown) => (this.#value(key), this.#value(value)));
    } else if (types.isSet(object)) Set.prototype.forEach.call(object, (value: unknown) => this.#value(value));
    else if (types.isDate(object)) this.#put(String(Date.prototype.getTime.call(object)));
    else if (types.isRegExp(object)) this.#put(patternOf(object));
    else if (types.isBoxedPrimitive(object)) this.#value(unboxed(object));
    else if (types.isAnyArrayBuffer(object)) this.#buffer(object);
    else if (ArrayBuffer.isView(object)) {
      this.#view(object);
      // The elements are the bytes of its buffer.
      if (!types.isDataView(object)) return this.#properties(object, keysBesideElements(object));
    }
    this.#properties(object);
  }

  /** What it is, beside its properties. */
  #kind(object: object): void {
    if (object instanceof ProgramFunction) return this.#put(`code ${this.#options.codeOf(object)}`);
    if (object instanceof InertFrame) this.#put(`at ${String(object.pc)}`);
    const prototype = getPrototypeOf(object);
    if (prototype === null) return this.#put('no prototype');
    const { type, isOfProgram, name } = this.#prototype(prototype);
    if (type !== undefined) return this.#value(type);
    if (isOfProgram) return this.#value(prototype);
    // Node's own for what the system says have a class that nothing leads to; a run again has the language's.
    this.#put(`a ${name ?? (types.isNativeError(object) ? 'Error' : '?')}`);
  }

  #prototype(prototype: object): Prototype {
    let known = this.#prototypes.get(prototype);
    if (known === undefined) {
      known = {
        type: classOfPrototype(prototype),
        isOfProgram: !Object.hasOwn(prototype, 'constructor'),
        name: nameOf(prototype),
      };
      this.#prototypes.set(prototype, known);
    }
    return known;
  }

  #properties(object: object, keys: readonly PropertyKey[] = ownKeys(object)): void {
    for (const key of keys) {
      const descriptor = getOwnPropertyDescriptor(object, key);
      if (descriptor === undefined || isEmptyLength(object, key) || this.#options.isLeftOut?.(object, key) === true)
        continue;
      if (isHeldWeakly(object, key)) {
        const { value }: { value?: unknown } = descriptor;
        if ((typeof value === 'object' && value !== null) || typeof value === 'symbol')
          this.#weakFields.push([this.#numberOf(object), String(key), value]);
        continue;
      }
      const { enumerable = false, configurable = false, writable = false } = descriptor;
      this.#put(`${enumerable ? '' : 'hidden '}${configurable ? '' : 'fixed '}${writable ? '' : 'constant '}`);
      if (typeof key === 'symbol') this.#symbol(key);
      else this.#put(String(key));
      const value = 'value' in descriptor ? descriptor.value : new Accessor(descriptor.get, descriptor.set);
      this.#value(this.#options.shown === undefined ? value : this.#options.shown(object, key, value));
    }
  }

  /** Whatever it is below, and whatever stands in its properties. */
  #view(view: object): void {
    const of = types.isDataView(view) ? DataView.prototype : typedArrays;
    const buffer = Reflect.get(of, 'buffer', view) as ArrayBufferLike;
    const [type, from, length] = isDetached(buffer) ? ['of nothing'] : FIELDS.map((key) => Reflect.get(of, key, view));
    this.#put(`view ${String(type)} ${String(from)} ${String(length)}`);
    this.#value(buffer);
  }

  #buffer(buffer: ArrayBufferLike): void {
    if (isDetached(buffer)) return this.#put('detached');
    const bytes = new Uint8Array(buffer);
    this.#put(`bytes ${bytes.length}`);
    this.#flush();
    this.#hash.update(bytes);
  }

  /** Those whose keys are held by something else, in the order of these; that may lead to others. */
  #weakEntries(): void {
    const done = new Set<object>();
    for (let any = true; any;) {
      any = false;
      const found = this.#weak.flatMap(([collection, entries, isSet]) =>
        [...Map.prototype.entries.call(entries)].flatMap(([key, value]: [object, unknown]) => {
          const number = this.#numbers.get(key);
          return number === undefined ? [] : [{ collection, entries, number, key, value, isSet }];
        }),
      );
      for (const { collection, entries, number, key, value, isSet } of found.toSorted(
        (a, b) => a.collection - b.collection || a.number - b.number,
      )) {
        const entry = entryOf(entries, key);
        if (done.has(entry)) continue;
        done.add(entry);
        any = true;
        this.#put(`weak #${collection} #${number}`);
        if (!isSet) this.#value(value);
        this.#lookInto();
      }
    }
  }
}

const entriesOf = new WeakMap<object, WeakMap<object, object>>();

/** What stands for a key in a collection. */
function entryOf(collection: object, key: object): object {
  let those = entriesOf.get(collection);
  if (those === undefined) entriesOf.set(collection, (those = new WeakMap()));
  let entry = those.get(key);
  if (entry === undefined) those.set(key, (entry = {}));
  return entry;
}

/** Of an array, its length stands behind its elements and says something if those have gaps. */
function isEmptyLength(object: object, key: PropertyKey): boolean {
  return key === 'length' && Array.isArray(object) && object.length === 0;
}

function nameOf(prototype: object): string | undefined {
  const { value } = getOwnPropertyDescriptor(prototype, 'constructor') ?? {};
  return typeof value === 'function' ? value.name : undefined;
}

/** Whatever it is below, and whatever stands in its properties. */
function unboxed(object: object): unknown {
  if (types.isNumberObject(object)) return Number.prototype.valueOf.call(object);
  if (types.isStringObject(object)) return String.prototype.valueOf.call(object);
  if (types.isBooleanObject(object)) return Boolean.prototype.valueOf.call(object);
  if (types.isBigIntObject(object)) return BigInt.prototype.valueOf.call(object);
  return Symbol.prototype.valueOf.call(object);
}

const typedArrays = getPrototypeOf(Uint8Array.prototype) as object;
/** Of a view. */
const FIELDS = [Symbol.toStringTag, 'byteOffset', 'byteLength'] as const;

/** `source`, and what `flags` is made of. */
const OF_PATTERNS = ownKeys(RegExp.prototype).flatMap((key) => {
  const { get } = getOwnPropertyDescriptor(RegExp.prototype, key) ?? {};
  return get === undefined || key === 'flags' ? [] : [get];
});

function patternOf(object: object): string {
  return OF_PATTERNS.map((get) => String(Reflect.apply(get, object, []))).join(' ');
}

/** What was in it has gone elsewhere, and nothing can look at it any more. */
function isDetached(buffer: ArrayBufferLike): boolean {
  return !types.isSharedArrayBuffer(buffer) && buffer.detached;
}
