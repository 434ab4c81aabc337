// Reads a state into data that nothing of can run, without the program, its code or its versions: what only a running program has comes back
// as stand-ins. Notes how many bytes of the state each object took. As total as the reader it is made from.

import { defineOwn, type ReadProperty } from '../properties.ts';
import { HeapReader, totally, type Changes, type ReadOptions } from '../reader.ts';
import * as T from '../tags.ts';
import { inertCore, inertCoreFunctions, inertProxies, InertCode, type CodeTexts } from './inert-adapters.ts';
import { INERT_KINDS, REPLACED } from './inert-kinds.ts';
import { Accessor, BuiltIn, builtInPrototype, notePropertyOf, ProgramFunction, weakKindOf } from './stand-ins.ts';
import type { ObjectSizes } from './object-sizes.ts';
import type { ReadingAdapter } from '../ports.ts';

export interface InertOptions extends ReadOptions {
  readonly texts: CodeTexts;
  /** In the order of those that the state was written with, but for the heap's own. */
  readonly adapters: readonly ReadingAdapter[];
  /** Where the sizes of its objects go, if somebody wants to know. */
  readonly sizes?: ObjectSizes;
}

/** A root, and how many bytes of the state it and what it leads to took, as far as earlier ones did not lead there. */
export interface InertRoot {
  readonly value: unknown;
  readonly bytes: number;
}

export interface InertHeap {
  readonly roots: readonly InertRoot[];
  /** What the program had changed of the language's and the host's objects. */
  readonly changes: readonly { readonly of: unknown; readonly properties: Readonly<Record<string, unknown>> }[];
  /** Where a function or class stands: in what stands for a module, and which of its functions or classes it is. */
  placeOf(fn: object): readonly [module: unknown, ordinal: number] | undefined;
}

export function readInert(bytes: Uint8Array, options: InertOptions): InertHeap {
  return totally(() => new InertReader(bytes, options).readInert());
}

/** Everything that begins with one of these is an object; a few values that do are part of one. */
function beginsObject(tag: number): boolean {
  return (
    (tag >= T.FIRST_KIND && tag < T.SHORT_STRING) ||
    tag === T.OBJECT ||
    tag === T.SHAPE ||
    tag === T.ADAPTED ||
    tag === T.EXTERNAL
  );
}

class InertReader extends HeapReader {
  readonly #code: InertCode;
  readonly #hostSymbols = new Map<string, symbol>();
  readonly #sizes: ObjectSizes | undefined;
  /** Whose bytes are being read, and from where on they have not been counted. */
  #account = 0;
  #mark: number;

  constructor(bytes: Uint8Array, { texts, adapters, sizes, ...options }: InertOptions) {
    const code = new InertCode(texts);
    super(
      {
        types: { isProxy: () => false } as never,
        known: { named: (name) => (name.endsWith('.prototype') ? builtInPrototype(name) : builtIn(name)) },
        revive: (descriptor) => ({ descriptor }),
        brand(object, owner, values) {
          const names = code.privateNames(owner);
          values.forEach((value, i) => define(object, `#${names[i] ?? i}`, { value }));
        },
      },
      [inertCore(code), ...code.adapters, ...adapters, inertCoreFunctions(), inertProxies()],
      bytes,
      { ...options, kinds: INERT_KINDS },
    );
    this.#code = code;
    this.families.forEach((family, i) => {
      const prototype = family.prototype === null ? undefined : REPLACED.get(family.prototype);
      if (prototype !== undefined) this.families[i] = { ...family, prototype };
    });
    this.#sizes = sizes;
    this.#mark = this.at;
  }

  readInert(): InertHeap {
    const roots: InertRoot[] = [];
    let from = this.at;
    const next = (): void => {
      const value = this.value();
      const changes = roots.length === 0 ? this.differences() : undefined;
      this.rest();
      roots.push({ value, bytes: this.at - from });
      from = this.at;
      if (changes !== undefined) differences = changes;
    };
    let differences: readonly Changes[] = [];
    do next();
    while (this.at < this.end);
    this.conclude([]);
    return {
      roots,
      placeOf: (fn) => this.#code.placeOf(fn),
      changes: differences.map(({ object, properties }) => ({
        of: object,
        properties: Object.fromEntries(properties.map(({ key, descriptor }) => [String(key), valueOf(descriptor)])),
      })),
    };
  }

  /** Any program's. */
  protected override requireProgram(): void {}

  override value(): unknown {
    // What stands before the first object is read before there are fields.
    if (!beginsObject(this.bytes[this.at] ?? 0)) return super.value();
    const sizes = this.#sizes;
    return sizes === undefined ? super.value() : this.#measured(sizes);
  }

  /** In one function: it is on the stack for each object that the next one is in. */
  #measured(sizes: ObjectSizes): unknown {
    const { bytes, numbers } = sizes;
    this.#count(bytes);
    const outer = this.#account;
    const number = bytes.push(0) - 1;
    this.#account = number;
    const object = super.value() as object;
    this.#count(bytes);
    this.#account = outer;
    // A Buffer's bytes stand at the end, among those of its pool.
    if (ArrayBuffer.isView(object) && !numbers.has(object.buffer))
      bytes[number] = (bytes[number] as number) + object.byteLength;
    numbers.set(object, number);
    return object;
  }

  #count(bytes: number[]): void {
    bytes[this.#account] = (bytes[this.#account] as number) + this.at - this.#mark;
    this.#mark = this.at;
  }

  protected override later(fill: () => void): void {
    const { bytes } = this.#sizes ?? {};
    if (bytes === undefined) return super.later(fill);
    const account = this.#account;
    super.later(() => {
      this.#count(bytes);
      this.#account = account;
      fill();
      this.#count(bytes);
      this.#account = 0;
    });
  }

  protected override define(object: object, property: ReadProperty): void {
    const { descriptor, isStack, key } = property;
    if (ArrayBuffer.isView(object)) notePropertyOf(object, key);
    if (descriptor === undefined || isStack) {
      if (!(object instanceof ProgramFunction)) defineOwn(object, property);
      return;
    }
    if (!(object instanceof ProgramFunction)) return define(object, key, descriptor);
    // Apart from what is said of it.
    const isBirthmark = (key === 'name' || key === 'length' || key === 'prototype') && descriptor.enumerable !== true;
    if (!isBirthmark) define(ProgramFunction.propertiesOf(object), key, descriptor);
  }

  override isAccessor(): boolean {
    return true;
  }

  override propertyKey(): PropertyKey {
    const { at } = this;
    const key = this.value();
    if (key instanceof BuiltIn) return this.#hostSymbol(key.name);
    if (typeof key !== 'string' && typeof key !== 'symbol') throw this.corrupt('a property key', at);
    return key;
  }

  /** One for each name: objects that share a key go on sharing it. */
  #hostSymbol(name: string): symbol {
    let symbol = this.#hostSymbols.get(name);
    if (symbol === undefined) {
      const marked = name.lastIndexOf('@@');
      symbol = Symbol(name.slice(marked === -1 ? name.lastIndexOf('.') + 1 : marked + 2));
      this.#hostSymbols.set(name, symbol);
    }
    return symbol;
  }

  protected override weakEntry(): void {
    const at = this.at;
    const collection = this.value();
    const key = this.value();
    const kind = weakKindOf(collection);
    if (kind === undefined) throw this.corrupt('a weak collection', at);
    Map.prototype.set.call(collection, key, kind === 'set' ? undefined : this.value());
  }
}

function builtIn(name: string): object | symbol {
  const symbol = /^Symbol\.(\w+)$/.exec(name)?.[1];
  const wellKnown = symbol === undefined ? undefined : (Symbol as unknown as Record<string, unknown>)[symbol];
  return typeof wellKnown === 'symbol' ? wellKnown : new BuiltIn(name);
}

/** What is born with its object for good stays: `callee` of strict arguments. */
function define(object: object, key: PropertyKey, descriptor: PropertyDescriptor): void {
  const { writable = true, enumerable = true, configurable = true } = descriptor;
  Reflect.defineProperty(object, key, { value: valueOf(descriptor), writable, enumerable, configurable });
}

function valueOf(descriptor: PropertyDescriptor | undefined): unknown {
  if (descriptor === undefined || 'value' in descriptor) return descriptor?.value;
  return new Accessor(descriptor.get, descriptor.set);
}
