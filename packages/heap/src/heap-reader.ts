// Reads bytes into a graph, or throws an error with the offset. It allocates nothing that the remaining bytes could not
// fill, runs no code from them, and checks every number. An object that is not referenced again is created after its
// fields, with its final hidden class. Hot path: bench/heap.

import { HeapError } from './heap-error.ts';
import {
  arrayPrototype,
  create,
  defineProperty,
  descriptorOf,
  objectPrototype,
  ownKeys,
  preventExtensions,
  prototypeOf,
  SafeMap,
  setPrototypeOf,
  weakMapSet,
  weakSetAdd,
  passesBrandCheck,
  weakMapHas,
  weakSetHas,
} from './intrinsics.ts';
import { resetValueStack } from './kinds/array.ts';
import { KIND_BY_TAG, STANDARD_PROTOTYPES } from './kinds/registry.ts';
import { locateFooter, foreignStateError } from './state-header.ts';
import { defineRestored, readProperties, type RestoredProperty } from './properties.ts';
import { createDecoder, type ObjectDecoder } from './shape.ts';
import { isObject, NOT_SHARED, ValueReader } from './value-reader.ts';
import * as T from './tags.ts';
import type { ObjectKind } from './object-kind.ts';
import type { ReaderPorts, RestoringAdapter } from './ports.ts';

export interface HeapReadOptions {
  /** Maximum memory in bytes in addition to the part proportional to the state (default 4 GB). */
  readonly memoryLimit?: number;
}

/** Readers of kinds, by tag. */
export type KindReaders = readonly (Pick<ObjectKind, 'name' | 'allocate' | 'fill' | 'read'> | undefined)[];

export interface RestoredFamily {
  readonly number: number;
  readonly prototype: object | null;
  /** Classes whose private members the objects carry. */
  readonly owners: readonly object[];
}

interface RestoredShape {
  readonly family: RestoredFamily;
  readonly keys: readonly string[];
  decoder: ObjectDecoder | undefined;
  generation: number;
}

/** Restored change of a known object. */
export interface RestoredChange {
  readonly object: object;
  readonly flags: number;
  /** Undefined if the prototype is unchanged. */
  readonly prototype: object | null | undefined;
  readonly properties: readonly RestoredProperty[];
}

/** Maximum recursion depth, a little more than a writer produces. */
const MAX_NESTING = 2 * T.MAX_DEPTH + 3 * T.MAX_HEADER_DEPTH;

export class HeapReader extends ValueReader {
  private readonly adapters: readonly RestoringAdapter[];
  private readonly kinds: KindReaders;
  protected readonly families: RestoredFamily[] = [];
  private readonly shapes: RestoredShape[] = [];
  private depth = 0;
  /** Number of properties read that may hinder an assignment: setters and constants of a possible prototype. */
  private generation = 0;

  constructor(
    ports: ReaderPorts,
    adapters: readonly RestoringAdapter[],
    bytes: Uint8Array,
    { memoryLimit = 2 ** 32, kinds = KIND_BY_TAG }: HeapReadOptions & { readonly kinds?: KindReaders } = {},
  ) {
    super(ports, bytes, memoryLimit);
    this.adapters = adapters;
    this.kinds = kinds;
    this.readHeader();
  }

  read(): unknown {
    const root = this.value();
    const changes = this.readChanges();
    this.readDeferred();
    if (this.offset !== this.end) throw this.corrupt('the end of the only root');
    this.finishReading(changes);
    return root;
  }

  /** Reads the roots of a graph that was written in pieces. */
  readAll(): unknown[] {
    const roots = [this.value()];
    const changes = this.readChanges();
    this.readDeferred();
    while (this.offset < this.end) {
      roots[roots.length] = this.value();
      this.readDeferred();
    }
    this.finishReading(changes);
    return roots;
  }

  /** Reads the deferred contents of the last root. */
  protected readDeferred(): void {
    this.drainDeferred();
    for (let count = this.count(2, 'weak entries'); count > 0; count = this.count(2, 'weak entries')) {
      for (let i = 0; i < count; i++) this.readWeakEntry();
      this.drainDeferred();
    }
  }

  protected finishReading(changes: readonly RestoredChange[]): void {
    this.runFinalActions();
    for (let i = 0; i < changes.length; i++) this.applyChange(changes[i] as RestoredChange);
  }

  private applyChange({ object, flags, prototype, properties }: RestoredChange): void {
    if (prototype !== undefined) this.setPrototype(object, prototype);
    for (let p = 0; p < properties.length; p++) this.defineProperty(object, properties[p] as RestoredProperty);
    if ((flags & T.NOT_EXTENSIBLE) !== 0) preventExtensions(object);
  }

  private readHeader(): void {
    const { bytes } = this;
    const footer = locateFooter(bytes);
    this.offset = footer;
    this.end = bytes.length - T.TRAILER_LENGTH;
    this.readFooter();
    this.end = footer;
    this.offset = T.HEADER_LENGTH;
    this.checkProgram(this.value());
    for (let i = 0; i < T.FIRST_STANDARD_FAMILY + STANDARD_PROTOTYPES.length; i++) {
      const prototype =
        i === T.OBJECT_FAMILY
          ? objectPrototype
          : i === T.ARRAY_FAMILY
            ? arrayPrototype
            : (STANDARD_PROTOTYPES[i - T.FIRST_STANDARD_FAMILY] ?? null);
      this.addFamily(prototype, []);
    }
  }

  protected checkProgram(program: unknown): void {
    const { program: expected = '' } = this.ports;
    if (program !== expected)
      throw foreignStateError(`belongs to the program ${JSON.stringify(program)}, not to ${JSON.stringify(expected)}`);
  }

  private addFamily(prototype: object | null, owners: readonly object[]): RestoredFamily {
    const number = this.families.length;
    const family = { number, prototype, owners };
    this.families[number] = family;
    return family;
  }

  value(): unknown {
    const tag = this.byte();
    if (tag >= T.SMALL_INTEGER) return tag & 0x7f;
    if (tag >= T.SHORT_STRING) return this.shortString(tag & 0x1f);
    switch (tag) {
      case T.OBJECT:
        return this.readObject(this.shapes[this.index(this.shapes.length, 'the number of a shape')] as RestoredShape);
      case T.UNDEFINED:
        return undefined;
      case T.NULL:
        return null;
      case T.TRUE:
        return true;
      case T.FALSE:
        return false;
      case T.INTEGER:
        return this.integer();
      case T.DOUBLE:
        return this.double();
      case T.REFERENCE:
        return this.readReference();
      case T.NARROW_STRING:
        return this.narrowString();
      case T.WIDE_STRING:
        return this.wideString();
      case T.STRING_REFERENCE:
        return this.earlierString();
      case T.KNOWN:
        return this.readKnownObject();
      case T.BIGINT:
        return this.bigint();
    }
    if (tag >= T.FIRST_KIND && tag < T.FIRST_VARIANT) return this.readBare(tag);
    if (this.depth > MAX_NESTING) throw this.corrupt('less nesting');
    this.depth++;
    const value = this.readRare(tag);
    this.depth--;
    return value;
  }

  private readRare(tag: number): unknown {
    switch (tag) {
      case T.DEFERRED: {
        if (this.isNextDeferred) throw this.corrupt('one mark of deferral');
        this.isNextDeferred = true;
        const value = this.value();
        if (this.isNextDeferred) throw this.corrupt('an object');
        return value;
      }
      case T.FAMILY:
        this.readFamilyDefinition();
        return this.value();
      case T.SHAPE:
        return this.readObject(this.readShapeDefinition());
      case T.REGISTERED_SYMBOL:
        return Symbol.for(this.stringValue());
      case T.SYMBOL:
        return this.newSymbol();
      case T.SYMBOL_REFERENCE:
        return this.earlierSymbol();
      case T.EXTERNAL:
        return this.readExternal();
      case T.ADAPTED:
        return this.readAdapted();
    }
    if (tag >= T.FIRST_VARIANT && tag < T.SHORT_STRING) return this.readVariant(tag - T.VARIANT_OFFSET);
    throw this.corrupt('the tag of a value', this.offset - 1);
  }

  private readExternal(): object {
    const start = this.offset;
    this.readFamily();
    const sharedNumber = this.enterObject();
    const descriptor = this.value();
    const object = this.ports.revive?.(descriptor);
    if (!isObject(object)) throw this.corrupt('a far reference or handle that a port here can revive', start);
    this.registerShared(sharedNumber, object);
    return object;
  }

  private readObject(shape: RestoredShape): object {
    const { family } = shape;
    const number = this.enterObject();
    const { decoder } = shape;
    if (decoder === undefined || shape.generation !== this.generation) {
      shape.decoder = undefined;
      return this.readFirstObject(shape, number);
    }
    if (this.isNextDeferred) return this.readDeferredObject(shape, number);
    if (this.depth > MAX_NESTING) throw this.corrupt('less nesting');
    this.depth++;
    let object: object;
    if (number === NOT_SHARED) object = decoder.whole(this);
    else {
      object = decoder.blank();
      this.sharedObjects[number] = object;
      decoder.fill(this, object);
    }
    this.depth--;
    if (family.owners.length > 0) this.readPrivateFields(object, family);
    return object;
  }

  private readDeferredObject(shape: RestoredShape, number: number): object {
    this.isNextDeferred = false;
    const object = (shape.decoder as ObjectDecoder).blank();
    this.registerShared(number, object);
    this.defer(() => {
      this.readFields(object, shape.keys);
      if (shape.family.owners.length > 0) this.readPrivateFields(object, shape.family);
    });
    return object;
  }

  /** Creates the first object of a shape key by key; its values determine the decoder of the others. */
  private readFirstObject(shape: RestoredShape, number: number): object {
    const { keys, family } = shape;
    const isDeferred = this.takeDeferral();
    const object = this.createInstance(family);
    this.registerShared(number, object);
    for (let i = 0; i < keys.length; i++) defineField(object, keys[i] as string, undefined);
    const fill = (): void => {
      const sample = this.readFields(object, keys);
      if (family.owners.length > 0) this.readPrivateFields(object, family);
      const literal = family.prototype === objectPrototype;
      if (
        family.owners.length === 0 &&
        shape.decoder === undefined &&
        (literal || !this.canHinderAssignment(family.prototype, keys))
      ) {
        shape.decoder = createDecoder(keys, sample, family.prototype, literal);
        shape.generation = this.generation;
      }
    };
    if (isDeferred) this.defer(fill);
    else this.readNested(fill);
    return object;
  }

  /** Creates an object of a family with the private members of its classes. */
  private createInstance({ owners, prototype }: RestoredFamily, object?: object): object {
    if (owners.length === 0) return object ?? this.createWithPrototype(prototype);
    const instance = this.guard(this.offset, () => this.ports.stampInstance?.(owners, object)) ?? object;
    if (instance === undefined) return this.createWithPrototype(prototype);
    this.setPrototype(instance, prototype);
    return instance;
  }

  /** Adds private members to an object that an adapter created, which keeps its properties. */
  private stampAdapted(object: object, family: RestoredFamily): void {
    const keys = ownKeys(object);
    const descriptors: PropertyDescriptor[] = [];
    for (let i = 0; i < keys.length; i++)
      descriptors[i] = descriptorOf(object, keys[i] as PropertyKey) as PropertyDescriptor;
    this.createInstance(family, object);
    for (let i = 0; i < keys.length; i++)
      defineProperty(object, keys[i] as PropertyKey, descriptors[i] as PropertyDescriptor);
  }

  private createWithPrototype(prototype: object | null): object {
    return prototype === objectPrototype ? {} : (create(prototype) as object);
  }

  private readNested(fill: () => void): void {
    if (this.depth > MAX_NESTING) throw this.corrupt('less nesting');
    this.depth++;
    fill();
    this.depth--;
  }

  private readFields(object: object, keys: readonly string[]): unknown[] {
    const values: unknown[] = [];
    for (let i = 0; i < keys.length; i++) {
      const value = this.value();
      values[i] = value;
      (object as Record<string, unknown>)[keys[i] as string] = value;
    }
    return values;
  }

  /** Returns whether the prototype chain may prevent an assignment of a key from defining a property. */
  private canHinderAssignment(prototype: object | null, keys: readonly string[]): boolean {
    if (prototype === null) return true;
    let steps = 0;
    for (let ancestor: object | null = prototype; ancestor !== null; ancestor = prototypeOf(ancestor)) {
      if (++steps > 1000 || this.ports.types.isProxy(ancestor)) return true;
      for (let i = 0; i < keys.length; i++) {
        if (keys[i] === '__proto__') return true;
        const descriptor = descriptorOf(ancestor, keys[i] as string);
        if (descriptor !== undefined && descriptor.writable !== true) return true;
      }
    }
    return false;
  }

  private readBare(tag: number): object {
    const kind = this.kinds[tag - T.FIRST_KIND];
    if (kind === undefined) throw this.corrupt('the tag of a value', this.offset - 1);
    const number = this.enterObject();
    if (kind.fill === undefined) {
      this.isNextDeferred = false;
      const object = kind.allocate(this);
      this.registerShared(number, object);
      return object;
    }
    if (this.depth > MAX_NESTING) throw this.corrupt('less nesting');
    this.depth++;
    let object: object;
    if (this.isNextDeferred) {
      this.isNextDeferred = false;
      object = kind.allocate(this);
      this.registerShared(number, object);
      this.defer(() => kind.fill?.(this, object));
    } else if (number === NOT_SHARED && kind.read !== undefined) object = kind.read(this);
    else {
      object = kind.allocate(this);
      this.registerShared(number, object);
      kind.fill(this, object);
    }
    this.depth--;
    return object;
  }

  private readFamily(): RestoredFamily {
    return this.families[this.index(this.families.length, 'the number of a family')] as RestoredFamily;
  }

  private readVariant(tag: number): object {
    const flags = this.byte();
    const family = this.readFamily();
    const number = this.enterObject();
    const isDeferred = this.takeDeferral();
    const kind = this.kinds[tag - T.FIRST_KIND];
    if (kind === undefined && tag !== T.FIRST_KIND) throw this.corrupt('the tag of a value');
    const object = kind === undefined ? this.createInstance(family) : this.createInstance(family, kind.allocate(this));
    if (kind !== undefined && (flags & T.LATE_PROTOTYPE) === 0) this.setPrototype(object, family.prototype);
    this.registerShared(number, object);
    const fill = (): void => {
      kind?.fill?.(this, object);
      this.finishObject(object, family, flags);
    };
    if (isDeferred) this.defer(fill);
    else this.readNested(fill);
    return object;
  }

  private readAdapted(): object {
    const flags = this.byte();
    const family = this.readFamily();
    const number = this.enterObject();
    const isDeferred = this.takeDeferral();
    const start = this.offset;
    const adapter = this.adapters[this.byte()];
    if (adapter === undefined) throw this.corrupt('the number of an adapter', start);
    const kind = this.varint();
    const header = this.readList();
    const object = this.guard(start, () =>
      adapter.allocate(kind, header, hasAnyPrototype(family.number) ? undefined : family.prototype),
    );
    if (!isObject(object)) throw this.corrupt(`something that ${adapter.name} can make`, start);
    // Prototypes of classes inherit from classes without being their instances.
    if (family.owners.length > 0 && adapter.isForAnyPrototype !== true) this.stampAdapted(object, family);
    this.registerShared(number, object);
    const fill = (): void => {
      const contentsStart = this.offset;
      const contents = this.readList();
      const finalAction = this.guard(contentsStart, () => adapter.fill(object, kind, contents));
      if (finalAction !== undefined) this.runAtEnd(() => this.guard(contentsStart, finalAction));
      this.finishObject(object, family, flags);
    };
    if (isDeferred) this.defer(fill);
    else this.readNested(fill);
    return object;
  }

  private finishObject(object: object, family: RestoredFamily, flags: number): void {
    if ((flags & T.LATE_PROTOTYPE) !== 0) {
      const start = this.offset;
      const prototype = this.value();
      if (prototype !== null && !isObject(prototype)) throw this.corrupt('a prototype', start);
      this.setPrototype(object, prototype);
    }
    if ((flags & T.HAS_OWN_PROPERTIES) !== 0) this.readOwnProperties(object);
    if (family.owners.length > 0) this.readPrivateFields(object, family);
    if ((flags & T.NOT_EXTENSIBLE) !== 0) preventExtensions(object);
  }

  private setPrototype(object: object, prototype: object | null): void {
    if (prototypeOf(object) === prototype) return;
    if (!setPrototypeOf(object, prototype)) throw this.corrupt('a prototype that can be set');
  }

  private readOwnProperties(object: object): void {
    const list = readProperties(this);
    for (let i = 0; i < list.length; i++) this.defineProperty(object, list[i] as RestoredProperty);
  }

  protected defineProperty(object: object, property: RestoredProperty): void {
    // The object may become a prototype, whose accessors and read-only properties hinder assignments.
    const { descriptor, isStack } = property;
    if (descriptor !== undefined && !isStack && descriptor.writable !== true) this.generation++;
    defineRestored(object, property);
  }

  private readPrivateFields(object: object, family: RestoredFamily): void {
    for (let i = 0; i < family.owners.length; i++) {
      const start = this.offset;
      const count = this.count(1, 'private members');
      if (count === 0) continue;
      const values: unknown[] = [];
      for (let v = 0; v < count - 1; v++) values[v] = this.value();
      this.guard(start, () => this.ports.setPrivateFields?.(object, family.owners[i] as object, values));
    }
  }

  private readFamilyDefinition(): void {
    // A definition may come between the deferral mark and its node.
    const isDeferred = this.takeDeferral();
    const start = this.offset;
    const prototype = this.value();
    if (prototype !== null && !isObject(prototype)) throw this.corrupt('a prototype', start);
    const count = this.count(1, 'classes');
    const ownerClasses: object[] = [];
    for (let i = 0; i < count; i++) ownerClasses[i] = this.objectValue();
    this.addFamily(prototype, ownerClasses);
    this.isNextDeferred = isDeferred;
  }

  private readShapeDefinition(): RestoredShape {
    const isDeferred = this.takeDeferral();
    const family = this.readFamily();
    const count = this.count(1, 'keys');
    const keys: string[] = [];
    const seenKeys = new SafeMap<string, true>();
    for (let i = 0; i < count; i++) {
      const key = this.stringValue();
      if (seenKeys.has(key)) throw this.corrupt('a new key');
      seenKeys.set(key, true);
      keys[i] = key;
    }
    const shape: RestoredShape = { family, keys, decoder: undefined, generation: 0 };
    this.shapes[this.shapes.length] = shape;
    this.isNextDeferred = isDeferred;
    return shape;
  }

  protected readWeakEntry(): void {
    const start = this.offset;
    const collection = this.objectValue();
    const key = this.value() as object;
    if (!isObject(key) && typeof key !== 'symbol') throw this.corrupt('the key of a weak entry', start);
    if (passesBrandCheck((value: WeakMap<object, unknown>) => weakMapHas(value, key), collection)) {
      const value = this.value();
      this.guard(start, () => weakMapSet(collection as WeakMap<object, unknown>, key, value));
    } else if (passesBrandCheck((value: WeakSet<object>) => weakSetHas(value, key), collection))
      this.guard(start, () => weakSetAdd(collection as WeakSet<object>, key));
    else throw this.corrupt('a weak collection', start);
  }

  /** Reads changes of known objects, which are applied at the end. */
  protected readChanges(): RestoredChange[] {
    const count = this.count(3, 'changed objects');
    const changes: RestoredChange[] = [];
    for (let i = 0; i < count; i++) {
      const object = this.objectValue();
      const flags = this.byte();
      const start = this.offset;
      const prototype = (flags & T.LATE_PROTOTYPE) === 0 ? undefined : (this.value() as object | null);
      if (prototype !== undefined && prototype !== null && !isObject(prototype))
        throw this.corrupt('a prototype', start);
      changes[changes.length] = { object, flags, prototype, properties: readProperties(this) };
    }
    return changes;
  }

  /** Returns whether a value is valid as a getter or setter. */
  isAccessor(value: unknown): boolean {
    return typeof value === 'function';
  }
}

/** Converts every failure of `read` to an error about damaged bytes. */
export function withHeapErrors<R>(read: () => R): R {
  try {
    return read();
  } catch (error) {
    resetValueStack();
    if (error instanceof HeapError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new HeapError('TT_CORRUPT_STATE', `the state is damaged: ${message}; restore another snapshot`, {
      cause: error,
    });
  }
}

/** Returns whether the family's objects may have any prototype. */
function hasAnyPrototype(number: number): boolean {
  return number === T.FUNCTION_FAMILY || number === T.PROXY_FAMILY || number === T.STRAY_FAMILY;
}

function defineField(object: object, key: string, value: unknown): void {
  defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
