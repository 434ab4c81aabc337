// Digest of inert graphs, independent of the order in which they were written. Objects are numbered in the order in
// which a search from the roots first reaches them. So the digest depends on contents and identity, but not on times or
// addresses.

import { createHash, type Hash } from 'node:crypto';
import { types } from 'node:util';
import {
  Accessor,
  BuiltIn,
  classOfPrototype,
  InertFrame,
  isHeldWeakly,
  extraKeysOf,
  ProgramFunction,
  weakKindOf,
} from '@turntable/heap/inert';

export interface GraphDigestOptions {
  /** Identifies a function or class of the program, apart from its captured values. */
  codeIdOf(fn: object): string;
  /** A value that belongs to the object but is stored outside of its properties and entries. */
  linkedValue?(object: object): unknown;
  /** The value to digest instead of the value of a property; used for values that differ between equal states. */
  canonicalValue?(object: object, key: PropertyKey, value: unknown): unknown;
  /** Whether a property is left out, because it has no effect and may differ between equal states. */
  isOmitted?(object: object, key: PropertyKey): boolean;
}

/** A weak field. The garbage collector may have cleared it, unless the value is also strongly held. */
type WeakField = readonly [object: number, key: string, value: object | symbol];

/** Facts about a prototype that apply to its instances. */
interface PrototypeInfo {
  readonly type: object | undefined;
  /** Whether the prototype is an ordinary object of the program, not of a class: it has no `constructor`. */
  readonly isOfProgram: boolean;
  readonly name: string | undefined;
}

type WeakCollection = readonly [collection: number, entries: Map<object, unknown>, isSet: boolean];

const FLUSH_LENGTH = 1 << 16;
const { ownKeys, getPrototypeOf, getOwnPropertyDescriptor, isExtensible } = Reflect;

export class GraphDigest {
  readonly #options: GraphDigestOptions;
  readonly #hash: Hash = createHash('sha256');
  readonly #numbers = new Map<object | symbol, number>();
  /** Objects reached so far; the objects after the current one are not written yet. */
  readonly #queue: object[] = [];
  readonly #prototypes = new Map<object, PrototypeInfo>();
  readonly #weakCollections: WeakCollection[] = [];
  readonly #weakFields: WeakField[] = [];
  #pendingText = '';

  constructor(options: GraphDigestOptions) {
    this.#options = options;
  }

  /** Adds a root and everything that it reaches. */
  add(name: string, value: unknown): void {
    this.#write(`root ${name}`);
    this.#writeValue(value);
    this.#writeQueued();
  }

  /** Returns the digest as 64 hexadecimal digits. No root can be added afterwards. */
  finish(): string {
    this.#writeWeakEntries();
    for (const [object, key, value] of this.#weakFields) {
      const number = this.#numbers.get(value);
      if (number !== undefined) this.#write(`weak #${object} ${key} #${number}`);
    }
    this.#flush();
    return this.#hash.digest('hex');
  }

  #write(text: string): void {
    this.#pendingText += `${text}\n`;
    if (this.#pendingText.length >= FLUSH_LENGTH) this.#flush();
  }

  #flush(): void {
    const text = this.#pendingText;
    // UTF-8 would make all lone surrogates equal.
    this.#hash.update(text, text.isWellFormed() ? 'utf8' : 'utf16le');
    this.#pendingText = '';
  }

  #writeQueued(): void {
    const queue = this.#queue;
    // The queue grows during the loop. `shift` would move all elements each time.
    for (let i = 0; i < queue.length; i++) this.#writeContents(queue[i] as object);
    queue.length = 0;
  }

  #writeValue(value: unknown): void {
    switch (typeof value) {
      case 'string':
        return this.#write(`s${value.length}:${value}`);
      case 'number':
        return this.#write(Object.is(value, -0) ? '-0' : `n${value}`);
      case 'symbol':
        return this.#writeSymbol(value);
      case 'object':
      case 'function':
        return value === null ? this.#write('null') : this.#writeReference(value);
      default:
        return this.#write(`${typeof value} ${String(value)}`);
    }
  }

  #writeSymbol(symbol: symbol): void {
    const key = Symbol.keyFor(symbol);
    if (key !== undefined) return this.#write(`symbol for ${key}`);
    this.#write(`symbol ${this.#numberOf(symbol)} ${String(symbol.description)}`);
  }

  #writeReference(object: object): void {
    if (object instanceof BuiltIn) return this.#write(`builtin ${object.name}`);
    if (typeof object === 'function') return this.#write(`builtin function ${object.name}`);
    const existing = this.#numbers.get(object);
    if (existing !== undefined) return this.#write(`#${existing}`);
    this.#write(`new #${this.#numberOf(object)}`);
    this.#queue.push(object);
  }

  #numberOf(object: object | symbol): number {
    let number = this.#numbers.get(object);
    if (number === undefined) this.#numbers.set(object, (number = this.#numbers.size));
    return number;
  }

  #writeContents(object: object): void {
    this.#write(`${isExtensible(object) ? 'of' : 'closed'} #${this.#numberOf(object)}`);
    this.#writeKind(object);
    const linked = this.#options.linkedValue?.(object);
    if (linked !== undefined) this.#writeValue(linked);
    if (weakKindOf(object) !== undefined) {
      const isSet = weakKindOf(object) === 'set';
      this.#weakCollections.push([this.#numberOf(object), object as Map<object, unknown>, isSet]);
    } else if (types.isMap(object)) {
      Map.prototype.forEach.call(
        object,
        (value: unknown, key: unknown) => (this.#writeValue(key), this.#writeValue(value)),
      );
    } else if (types.isSet(object)) Set.prototype.forEach.call(object, (value: unknown) => this.#writeValue(value));
    else if (types.isDate(object)) this.#write(String(Date.prototype.getTime.call(object)));
    else if (types.isRegExp(object)) this.#write(patternText(object));
    else if (types.isBoxedPrimitive(object)) this.#writeValue(unbox(object));
    else if (types.isAnyArrayBuffer(object)) this.#writeBuffer(object);
    else if (ArrayBuffer.isView(object)) {
      this.#writeView(object);
      // The bytes of the buffer include the elements of a typed array.
      if (!types.isDataView(object)) return this.#writeProperties(object, extraKeysOf(object));
    }
    this.#writeProperties(object);
  }

  /** Writes the type of an object, apart from its properties. */
  #writeKind(object: object): void {
    if (object instanceof ProgramFunction) return this.#write(`code ${this.#options.codeIdOf(object)}`);
    if (object instanceof InertFrame) this.#write(`at ${String(object.pc)}`);
    const prototype = getPrototypeOf(object);
    if (prototype === null) return this.#write('no prototype');
    const { type, isOfProgram, name } = this.#prototypeInfo(prototype);
    if (type !== undefined) return this.#writeValue(type);
    if (isOfProgram) return this.#writeValue(prototype);
    // Some of Node's system errors have a class that no root reaches; in a replay they have the intrinsic error class.
    this.#write(`a ${name ?? (types.isNativeError(object) ? 'Error' : '?')}`);
  }

  #prototypeInfo(prototype: object): PrototypeInfo {
    let existing = this.#prototypes.get(prototype);
    if (existing === undefined) {
      existing = {
        type: classOfPrototype(prototype),
        isOfProgram: !Object.hasOwn(prototype, 'constructor'),
        name: constructorName(prototype),
      };
      this.#prototypes.set(prototype, existing);
    }
    return existing;
  }

  #writeProperties(object: object, keys: readonly PropertyKey[] = ownKeys(object)): void {
    for (const key of keys) {
      const descriptor = getOwnPropertyDescriptor(object, key);
      if (descriptor === undefined || isEmptyLength(object, key) || this.#options.isOmitted?.(object, key) === true)
        continue;
      if (isHeldWeakly(object, key)) {
        const { value }: { value?: unknown } = descriptor;
        if ((typeof value === 'object' && value !== null) || typeof value === 'symbol')
          this.#weakFields.push([this.#numberOf(object), String(key), value]);
        continue;
      }
      const { enumerable = false, configurable = false, writable = false } = descriptor;
      this.#write(`${enumerable ? '' : 'hidden '}${configurable ? '' : 'fixed '}${writable ? '' : 'constant '}`);
      if (typeof key === 'symbol') this.#writeSymbol(key);
      else this.#write(String(key));
      const value = 'value' in descriptor ? descriptor.value : new Accessor(descriptor.get, descriptor.set);
      this.#writeValue(
        this.#options.canonicalValue === undefined ? value : this.#options.canonicalValue(object, key, value),
      );
    }
  }

  /** Writes the fields of a view, read without its own prototype and properties. */
  #writeView(view: object): void {
    const prototype = types.isDataView(view) ? DataView.prototype : typedArrayPrototype;
    const buffer = Reflect.get(prototype, 'buffer', view) as ArrayBufferLike;
    const [type, byteOffset, length] = isDetached(buffer)
      ? ['of nothing']
      : VIEW_FIELDS.map((key) => Reflect.get(prototype, key, view));
    this.#write(`view ${String(type)} ${String(byteOffset)} ${String(length)}`);
    this.#writeValue(buffer);
  }

  #writeBuffer(buffer: ArrayBufferLike): void {
    if (isDetached(buffer)) return this.#write('detached');
    const bytes = new Uint8Array(buffer);
    this.#write(`bytes ${bytes.length}`);
    this.#flush();
    this.#hash.update(bytes);
  }

  /** Writes weak entries with strongly reached keys, in key order. Their values may reach more keys. */
  #writeWeakEntries(): void {
    const written = new Set<object>();
    for (let hasNew = true; hasNew;) {
      hasNew = false;
      const found = this.#weakCollections.flatMap(([collection, entries, isSet]) =>
        [...Map.prototype.entries.call(entries)].flatMap(([key, value]: [object, unknown]) => {
          const number = this.#numbers.get(key);
          return number === undefined ? [] : [{ collection, entries, number, key, value, isSet }];
        }),
      );
      for (const { collection, entries, number, key, value, isSet } of found.toSorted(
        (a, b) => a.collection - b.collection || a.number - b.number,
      )) {
        const entry = entryKeyOf(entries, key);
        if (written.has(entry)) continue;
        written.add(entry);
        hasNew = true;
        this.#write(`weak #${collection} #${number}`);
        if (!isSet) this.#writeValue(value);
        this.#writeQueued();
      }
    }
  }
}

const entryKeys = new WeakMap<object, WeakMap<object, object>>();

/** The object that represents a key of a weak collection. */
function entryKeyOf(collection: object, key: object): object {
  let entries = entryKeys.get(collection);
  if (entries === undefined) entryKeys.set(collection, (entries = new WeakMap()));
  let entry = entries.get(key);
  if (entry === undefined) entries.set(key, (entry = {}));
  return entry;
}

/** Whether the key is the length of an empty array, which is omitted because it is implied by the missing elements. */
function isEmptyLength(object: object, key: PropertyKey): boolean {
  return key === 'length' && Array.isArray(object) && object.length === 0;
}

function constructorName(prototype: object): string | undefined {
  const { value } = getOwnPropertyDescriptor(prototype, 'constructor') ?? {};
  return typeof value === 'function' ? value.name : undefined;
}

/** Value of a primitive wrapper, read without its own prototype and properties. */
function unbox(object: object): unknown {
  if (types.isNumberObject(object)) return Number.prototype.valueOf.call(object);
  if (types.isStringObject(object)) return String.prototype.valueOf.call(object);
  if (types.isBooleanObject(object)) return Boolean.prototype.valueOf.call(object);
  if (types.isBigIntObject(object)) return BigInt.prototype.valueOf.call(object);
  return Symbol.prototype.valueOf.call(object);
}

const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype) as object;
const VIEW_FIELDS = [Symbol.toStringTag, 'byteOffset', 'byteLength'] as const;

/** Getter of `source`, and the getters that `flags` reads. */
const PATTERN_GETTERS = ownKeys(RegExp.prototype).flatMap((key) => {
  const { get } = getOwnPropertyDescriptor(RegExp.prototype, key) ?? {};
  return get === undefined || key === 'flags' ? [] : [get];
});

function patternText(object: object): string {
  return PATTERN_GETTERS.map((get) => String(Reflect.apply(get, object, []))).join(' ');
}

/** Whether the buffer was transferred: its contents are gone. */
function isDetached(buffer: ArrayBufferLike): boolean {
  return !types.isSharedArrayBuffer(buffer) && buffer.detached;
}
