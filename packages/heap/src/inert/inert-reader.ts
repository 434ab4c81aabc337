// Reads a state into data without any executable part, independent of the program, its code and versions: stand-ins
// replace what only a running program has. Notes the bytes that each object takes. Safe for any bytes, like its base.

import { defineRestored, type RestoredProperty } from '../properties.ts';
import { HeapReader, withHeapErrors, type RestoredChange, type HeapReadOptions } from '../heap-reader.ts';
import * as T from '../tags.ts';
import {
  createInertCoreAdapter,
  createInertFunctionAdapter,
  createInertProxyAdapter,
  InertCode,
  type CodeSources,
} from './inert-adapters.ts';
import { INERT_KINDS, REPLACED_PROTOTYPES } from './inert-kinds.ts';
import { Accessor, BuiltIn, builtInPrototype, noteExtraKey, ProgramFunction, weakKindOf } from './stand-ins.ts';
import type { ObjectSizes } from './object-sizes.ts';
import type { RestoringAdapter } from '../ports.ts';

export interface InertReadOptions extends HeapReadOptions {
  readonly sources: CodeSources;
  /** Adapters in the order in which the state was written, without the heap's own. */
  readonly adapters: readonly RestoringAdapter[];
  /** Collects the sizes of the objects, if given. */
  readonly sizes?: ObjectSizes;
}

/** A root, and the bytes of the objects that no earlier root leads to. */
export interface InertRoot {
  readonly value: unknown;
  readonly bytes: number;
}

export interface InertHeap {
  readonly roots: readonly InertRoot[];
  /** The program's changes to objects of the language and the host. */
  readonly changes: readonly { readonly object: unknown; readonly properties: Readonly<Record<string, unknown>> }[];
  /** Returns the stand-in of the module and the ordinal of a function or class in it. */
  codeIdOf(fn: object): readonly [module: unknown, ordinal: number] | undefined;
}

export function readInert(bytes: Uint8Array, options: InertReadOptions): InertHeap {
  return withHeapErrors(() => new InertReader(bytes, options).readInert());
}

/** Returns whether an object starts with the tag, apart from a few values that are part of an object. */
function isObjectTag(tag: number): boolean {
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
  /** The object being read, and the offset up to which bytes are counted. */
  #currentObject = 0;
  #countedTo: number;

  constructor(bytes: Uint8Array, { sources, adapters, sizes, ...options }: InertReadOptions) {
    const code = new InertCode(sources);
    super(
      {
        types: { isProxy: () => false } as never,
        known: { objectNamed: (name) => (name.endsWith('.prototype') ? builtInPrototype(name) : standInNamed(name)) },
        revive: (descriptor) => ({ descriptor }),
        setPrivateFields(object, owner, values) {
          const names = code.privateFieldNames(owner);
          values.forEach((value, i) => defineReadable(object, `#${names[i] ?? i}`, { value }));
        },
      },
      [
        createInertCoreAdapter(code),
        ...code.adapters,
        ...adapters,
        createInertFunctionAdapter(),
        createInertProxyAdapter(),
      ],
      bytes,
      { ...options, kinds: INERT_KINDS },
    );
    this.#code = code;
    this.families.forEach((family, i) => {
      const prototype = family.prototype === null ? undefined : REPLACED_PROTOTYPES.get(family.prototype);
      if (prototype !== undefined) this.families[i] = { ...family, prototype };
    });
    this.#sizes = sizes;
    this.#countedTo = this.offset;
  }

  readInert(): InertHeap {
    const roots: InertRoot[] = [];
    let rootStart = this.offset;
    const readRoot = (): void => {
      const value = this.value();
      const changes = roots.length === 0 ? this.readChanges() : undefined;
      this.readDeferred();
      roots.push({ value, bytes: this.offset - rootStart });
      rootStart = this.offset;
      if (changes !== undefined) differences = changes;
    };
    let differences: readonly RestoredChange[] = [];
    do readRoot();
    while (this.offset < this.end);
    this.finishReading([]);
    return {
      roots,
      codeIdOf: (fn) => this.#code.codeIdOf(fn),
      changes: differences.map(({ object, properties }) => ({
        object,
        properties: Object.fromEntries(properties.map(({ key, descriptor }) => [String(key), dataValueOf(descriptor)])),
      })),
    };
  }

  // States of any program are accepted.
  protected override checkProgram(): void {}

  override value(): unknown {
    // Values before the first object are read by the base constructor, before there are fields.
    if (!isObjectTag(this.bytes[this.offset] ?? 0)) return super.value();
    const sizes = this.#sizes;
    return sizes === undefined ? super.value() : this.#readMeasured(sizes);
  }

  /** Reads an object and counts its bytes. A single function, because nested objects repeat its frame on the stack. */
  #readMeasured(sizes: ObjectSizes): unknown {
    const { bytesByNumber: bytes, numberByObject: numbers } = sizes;
    this.#countBytes(bytes);
    const outerObject = this.#currentObject;
    const number = bytes.push(0) - 1;
    this.#currentObject = number;
    const object = super.value() as object;
    this.#countBytes(bytes);
    this.#currentObject = outerObject;
    // The bytes of a Buffer are in its pool, at the end of the state.
    if (ArrayBuffer.isView(object) && !numbers.has(object.buffer))
      bytes[number] = (bytes[number] as number) + object.byteLength;
    numbers.set(object, number);
    return object;
  }

  #countBytes(bytes: number[]): void {
    bytes[this.#currentObject] = (bytes[this.#currentObject] as number) + this.offset - this.#countedTo;
    this.#countedTo = this.offset;
  }

  protected override defer(action: () => void): void {
    const { bytesByNumber: bytes } = this.#sizes ?? {};
    if (bytes === undefined) return super.defer(action);
    const objectNumber = this.#currentObject;
    super.defer(() => {
      this.#countBytes(bytes);
      this.#currentObject = objectNumber;
      action();
      this.#countBytes(bytes);
      this.#currentObject = 0;
    });
  }

  protected override defineProperty(object: object, property: RestoredProperty): void {
    const { descriptor, isStack, key } = property;
    if (ArrayBuffer.isView(object)) noteExtraKey(object, key);
    if (descriptor === undefined || isStack) {
      if (!(object instanceof ProgramFunction)) defineRestored(object, property);
      return;
    }
    if (!(object instanceof ProgramFunction)) return defineReadable(object, key, descriptor);
    // Properties from the program are kept apart from facts about the function itself.
    const isInitialProperty =
      (key === 'name' || key === 'length' || key === 'prototype') && descriptor.enumerable !== true;
    if (!isInitialProperty) defineReadable(ProgramFunction.propertiesOf(object), key, descriptor);
  }

  override isAccessor(): boolean {
    return true;
  }

  override propertyKey(): PropertyKey {
    const { offset } = this;
    const key = this.value();
    if (key instanceof BuiltIn) return this.#hostSymbol(key.name);
    if (typeof key !== 'string' && typeof key !== 'symbol') throw this.corrupt('a property key', offset);
    return key;
  }

  /** Returns one symbol per name, so that objects that share a key still do. */
  #hostSymbol(name: string): symbol {
    let symbol = this.#hostSymbols.get(name);
    if (symbol === undefined) {
      const markerIndex = name.lastIndexOf('@@');
      symbol = Symbol(name.slice(markerIndex === -1 ? name.lastIndexOf('.') + 1 : markerIndex + 2));
      this.#hostSymbols.set(name, symbol);
    }
    return symbol;
  }

  protected override readWeakEntry(): void {
    const offset = this.offset;
    const collection = this.value();
    const key = this.value();
    const kind = weakKindOf(collection);
    if (kind === undefined) throw this.corrupt('a weak collection', offset);
    Map.prototype.set.call(collection, key, kind === 'set' ? undefined : this.value());
  }
}

function standInNamed(name: string): object | symbol {
  const symbol = /^Symbol\.(\w+)$/.exec(name)?.[1];
  const wellKnown = symbol === undefined ? undefined : (Symbol as unknown as Record<string, unknown>)[symbol];
  return typeof wellKnown === 'symbol' ? wellKnown : new BuiltIn(name);
}

/** Defines a property, but keeps the permanent ones of a new object, like `callee` of strict arguments. */
function defineReadable(object: object, key: PropertyKey, descriptor: PropertyDescriptor): void {
  const { writable = true, enumerable = true, configurable = true } = descriptor;
  Reflect.defineProperty(object, key, { value: dataValueOf(descriptor), writable, enumerable, configurable });
}

function dataValueOf(descriptor: PropertyDescriptor | undefined): unknown {
  if (descriptor === undefined || 'value' in descriptor) return descriptor?.value;
  return new Accessor(descriptor.get, descriptor.set);
}
