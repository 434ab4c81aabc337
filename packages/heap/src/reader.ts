// The reader: bytes to a graph, or an error that names the offset. It allocates nothing that the bytes left could not fill, runs no
// code that came with them, and depends on nothing the writer promised: every number is checked against what exists.
// An object that nothing refers to is made when its fields have been read, with its final hidden class. Hot path: bench/heap.

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
  accepts,
  weakMapHas,
  weakSetHas,
} from './intrinsics.ts';
import { resetStacks } from './kinds/array.ts';
import { KIND_BY_TAG, STANDARD } from './kinds/registry.ts';
import { footerOf, foreign } from './head.ts';
import { defineOwn, readProperties, type ReadProperty } from './properties.ts';
import { decoderOf, type Decoder } from './shape.ts';
import { isObject, NOWHERE, NumberedSource } from './numbered-source.ts';
import * as T from './tags.ts';
import type { Kind } from './kind.ts';
import type { ReaderPorts, ReadingAdapter } from './ports.ts';

export interface ReadOptions {
  /** Bytes that reading may take beyond what is proportional to the state; 4 GB unless given. */
  readonly memory?: number;
}

/** How objects of kinds are made, by their tags. */
export type Kinds = readonly (Pick<Kind, 'name' | 'allocate' | 'fill' | 'read'> | undefined)[];

export interface ReadFamily {
  readonly number: number;
  readonly prototype: object | null;
  /** Classes whose private members its objects carry. */
  readonly owners: readonly object[];
}

interface ReadShape {
  readonly family: ReadFamily;
  readonly keys: readonly string[];
  decoder: Decoder | undefined;
  epoch: number;
}

/** Of a known object. */
export interface Changes {
  readonly object: object;
  readonly flags: number;
  /** Nothing if it is still the same. */
  readonly prototype: object | null | undefined;
  readonly properties: readonly ReadProperty[];
}

/** How deep the reader follows: a little more than the writer nests. */
const LIMIT = 2 * T.DEPTH + 3 * T.HEADER_DEPTH;

export class HeapReader extends NumberedSource {
  private readonly adapters: readonly ReadingAdapter[];
  private readonly kinds: Kinds;
  protected readonly families: ReadFamily[] = [];
  private readonly shapes: ReadShape[] = [];
  private depth = 0;
  /** Counts properties that assignment could fall into: a setter or a constant on what may be somebody's prototype. */
  private epoch = 0;

  constructor(
    ports: ReaderPorts,
    adapters: readonly ReadingAdapter[],
    bytes: Uint8Array,
    { memory = 2 ** 32, kinds = KIND_BY_TAG }: ReadOptions & { readonly kinds?: Kinds } = {},
  ) {
    super(ports, bytes, memory);
    this.adapters = adapters;
    this.kinds = kinds;
    this.header();
  }

  read(): unknown {
    const root = this.value();
    const differences = this.differences();
    this.rest();
    if (this.at !== this.end) throw this.corrupt('the end of the only root');
    this.conclude(differences);
    return root;
  }

  /** The roots of a graph that was written in pieces. */
  readAll(): unknown[] {
    const roots = [this.value()];
    const differences = this.differences();
    this.rest();
    while (this.at < this.end) {
      roots[roots.length] = this.value();
      this.rest();
    }
    this.conclude(differences);
    return roots;
  }

  /** What the root that was read last leads to, as far as it was deferred. */
  protected rest(): void {
    this.drain();
    for (let count = this.count(2, 'weak entries'); count > 0; count = this.count(2, 'weak entries')) {
      for (let i = 0; i < count; i++) this.weakEntry();
      this.drain();
    }
  }

  protected conclude(differences: readonly Changes[]): void {
    this.atLast();
    for (let i = 0; i < differences.length; i++) this.change(differences[i] as Changes);
  }

  private change({ object, flags, prototype, properties }: Changes): void {
    if (prototype !== undefined) this.adopt(object, prototype);
    for (let p = 0; p < properties.length; p++) this.define(object, properties[p] as ReadProperty);
    if ((flags & T.NOT_EXTENSIBLE) !== 0) preventExtensions(object);
  }

  private header(): void {
    const { bytes } = this;
    const footer = footerOf(bytes);
    this.at = footer;
    this.end = bytes.length - T.TRAILER_LENGTH;
    this.footer();
    this.end = footer;
    this.at = T.HEADER_LENGTH;
    this.requireProgram(this.value());
    for (let i = 0; i < T.FIRST_STANDARD + STANDARD.length; i++) {
      const prototype =
        i === T.OBJECTS ? objectPrototype : i === T.ARRAYS ? arrayPrototype : (STANDARD[i - T.FIRST_STANDARD] ?? null);
      this.addFamily(prototype, []);
    }
  }

  protected requireProgram(program: unknown): void {
    const { program: expected = '' } = this.ports;
    if (program !== expected)
      throw foreign(`belong to the program ${JSON.stringify(program)}, not to ${JSON.stringify(expected)}`);
  }

  private addFamily(prototype: object | null, owners: readonly object[]): ReadFamily {
    const number = this.families.length;
    const family = { number, prototype, owners };
    this.families[number] = family;
    return family;
  }

  value(): unknown {
    const tag = this.byte();
    if (tag >= T.SMALL_INTEGER) return tag & 0x7f;
    if (tag >= T.SHORT_STRING) return this.short(tag & 0x1f);
    switch (tag) {
      case T.OBJECT:
        return this.object(this.shapes[this.index(this.shapes.length, 'the number of a shape')] as ReadShape);
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
      case T.AGAIN:
        return this.again();
      case T.NARROW_STRING:
        return this.narrow();
      case T.WIDE_STRING:
        return this.wide();
      case T.STRING_AGAIN:
        return this.earlierString();
      case T.KNOWN:
        return this.knownObject();
      case T.BIGINT:
        return this.bigint();
    }
    if (tag >= T.FIRST_KIND && tag < T.FIRST_VARIANT) return this.bare(tag);
    if (this.depth > LIMIT) throw this.corrupt('less nesting');
    this.depth++;
    const value = this.rare(tag);
    this.depth--;
    return value;
  }

  private rare(tag: number): unknown {
    switch (tag) {
      case T.DEFERRED: {
        if (this.deferred) throw this.corrupt('one mark of deferral');
        this.deferred = true;
        const value = this.value();
        if (this.deferred) throw this.corrupt('an object');
        return value;
      }
      case T.FAMILY:
        this.defineFamily();
        return this.value();
      case T.SHAPE:
        return this.object(this.defineShape());
      case T.REGISTERED_SYMBOL:
        return Symbol.for(this.text());
      case T.SYMBOL:
        return this.newSymbol();
      case T.SYMBOL_AGAIN:
        return this.earlierSymbol();
      case T.EXTERNAL:
        return this.external();
      case T.ADAPTED:
        return this.adapted();
    }
    if (tag >= T.FIRST_VARIANT && tag < T.SHORT_STRING) return this.variant(tag - T.VARIANT);
    throw this.corrupt('the tag of a value', this.at - 1);
  }

  private external(): object {
    const at = this.at;
    this.family();
    const ticket = this.enter();
    const descriptor = this.value();
    const object = this.ports.revive?.(descriptor);
    if (!isObject(object)) throw this.corrupt('a far reference or handle that somebody here knows how to revive', at);
    this.register(ticket, object);
    return object;
  }

  private object(shape: ReadShape): object {
    const { family } = shape;
    const number = this.enter();
    const { decoder } = shape;
    if (decoder === undefined || shape.epoch !== this.epoch) {
      shape.decoder = undefined;
      return this.firstObject(shape, number);
    }
    if (this.deferred) return this.laterObject(shape, number);
    if (this.depth > LIMIT) throw this.corrupt('less nesting');
    this.depth++;
    let object: object;
    if (number === NOWHERE) object = decoder.whole(this);
    else {
      object = decoder.blank();
      this.shared[number] = object;
      decoder.fill(this, object);
    }
    this.depth--;
    if (family.owners.length > 0) this.privates(object, family);
    return object;
  }

  private laterObject(shape: ReadShape, number: number): object {
    this.deferred = false;
    const object = (shape.decoder as Decoder).blank();
    this.register(number, object);
    this.later(() => {
      this.assign(object, shape.keys);
      if (shape.family.owners.length > 0) this.privates(object, shape.family);
    });
    return object;
  }

  /** The first object of a shape is made key by key; what its values are decides how the others are made. */
  private firstObject(shape: ReadShape, number: number): object {
    const { keys, family } = shape;
    const isLater = this.isDeferred();
    const object = this.born(family);
    this.register(number, object);
    for (let i = 0; i < keys.length; i++) define(object, keys[i] as string, undefined);
    const fill = (): void => {
      const sample = this.assign(object, keys);
      if (family.owners.length > 0) this.privates(object, family);
      const literal = family.prototype === objectPrototype;
      if (
        family.owners.length === 0 &&
        shape.decoder === undefined &&
        (literal || !this.hinders(family.prototype, keys))
      ) {
        shape.decoder = decoderOf(keys, sample, family.prototype, literal);
        shape.epoch = this.epoch;
      }
    };
    if (isLater) this.later(fill);
    else this.nested(fill);
    return object;
  }

  /** A new object of a family, with the private members of its classes. */
  private born({ owners, prototype }: ReadFamily, object?: object): object {
    if (owners.length === 0) return object ?? this.withPrototype(prototype);
    const given = this.guarded(this.at, () => this.ports.birth?.(owners, object)) ?? object;
    if (given === undefined) return this.withPrototype(prototype);
    this.adopt(given, prototype);
    return given;
  }

  /** The same for an object that an adapter has made: what properties it has stay. */
  private bearAgain(object: object, family: ReadFamily): void {
    const keys = ownKeys(object);
    const descriptors: PropertyDescriptor[] = [];
    for (let i = 0; i < keys.length; i++)
      descriptors[i] = descriptorOf(object, keys[i] as PropertyKey) as PropertyDescriptor;
    this.born(family, object);
    for (let i = 0; i < keys.length; i++)
      defineProperty(object, keys[i] as PropertyKey, descriptors[i] as PropertyDescriptor);
  }

  private withPrototype(prototype: object | null): object {
    return prototype === objectPrototype ? {} : (create(prototype) as object);
  }

  private nested(fill: () => void): void {
    if (this.depth > LIMIT) throw this.corrupt('less nesting');
    this.depth++;
    fill();
    this.depth--;
  }

  private assign(object: object, keys: readonly string[]): unknown[] {
    const values: unknown[] = [];
    for (let i = 0; i < keys.length; i++) {
      const value = this.value();
      values[i] = value;
      (object as Record<string, unknown>)[keys[i] as string] = value;
    }
    return values;
  }

  /** Whether assigning one of the keys to an object with this prototype might not make a property of it. */
  private hinders(prototype: object | null, keys: readonly string[]): boolean {
    if (prototype === null) return true;
    let steps = 0;
    for (let each: object | null = prototype; each !== null; each = prototypeOf(each)) {
      if (++steps > 1000 || this.ports.types.isProxy(each)) return true;
      for (let i = 0; i < keys.length; i++) {
        if (keys[i] === '__proto__') return true;
        const descriptor = descriptorOf(each, keys[i] as string);
        if (descriptor !== undefined && descriptor.writable !== true) return true;
      }
    }
    return false;
  }

  private bare(tag: number): object {
    const kind = this.kinds[tag - T.FIRST_KIND];
    if (kind === undefined) throw this.corrupt('the tag of a value', this.at - 1);
    const number = this.enter();
    if (kind.fill === undefined) {
      this.deferred = false;
      const object = kind.allocate(this);
      this.register(number, object);
      return object;
    }
    if (this.depth > LIMIT) throw this.corrupt('less nesting');
    this.depth++;
    let object: object;
    if (this.deferred) {
      this.deferred = false;
      object = kind.allocate(this);
      this.register(number, object);
      this.later(() => kind.fill?.(this, object));
    } else if (number === NOWHERE && kind.read !== undefined) object = kind.read(this);
    else {
      object = kind.allocate(this);
      this.register(number, object);
      kind.fill(this, object);
    }
    this.depth--;
    return object;
  }

  private family(): ReadFamily {
    return this.families[this.index(this.families.length, 'the number of a family')] as ReadFamily;
  }

  private variant(tag: number): object {
    const flags = this.byte();
    const family = this.family();
    const number = this.enter();
    const isLater = this.isDeferred();
    const kind = this.kinds[tag - T.FIRST_KIND];
    if (kind === undefined && tag !== T.FIRST_KIND) throw this.corrupt('the tag of a value');
    const object = kind === undefined ? this.born(family) : this.born(family, kind.allocate(this));
    if (kind !== undefined && (flags & T.LATE_PROTOTYPE) === 0) this.adopt(object, family.prototype);
    this.register(number, object);
    const fill = (): void => {
      kind?.fill?.(this, object);
      this.finish(object, family, flags);
    };
    if (isLater) this.later(fill);
    else this.nested(fill);
    return object;
  }

  private adapted(): object {
    const flags = this.byte();
    const family = this.family();
    const number = this.enter();
    const isLater = this.isDeferred();
    const at = this.at;
    const adapter = this.adapters[this.byte()];
    if (adapter === undefined) throw this.corrupt('the number of an adapter', at);
    const kind = this.varint();
    const header = this.list();
    const object = this.guarded(at, () =>
      adapter.allocate(kind, header, isOpen(family.number) ? undefined : family.prototype),
    );
    if (!isObject(object)) throw this.corrupt(`something that ${adapter.name} can make`, at);
    // Prototypes of classes are below classes whose instances they are not.
    if (family.owners.length > 0 && adapter.odd !== true) this.bearAgain(object, family);
    this.register(number, object);
    const fill = (): void => {
      const from = this.at;
      const contents = this.list();
      const last = this.guarded(from, () => adapter.fill(object, kind, contents));
      if (last !== undefined) this.atEnd(() => this.guarded(from, last));
      this.finish(object, family, flags);
    };
    if (isLater) this.later(fill);
    else this.nested(fill);
    return object;
  }

  private finish(object: object, family: ReadFamily, flags: number): void {
    if ((flags & T.LATE_PROTOTYPE) !== 0) {
      const at = this.at;
      const prototype = this.value();
      if (prototype !== null && !isObject(prototype)) throw this.corrupt('a prototype', at);
      this.adopt(object, prototype);
    }
    if ((flags & T.OWN) !== 0) this.properties(object);
    if (family.owners.length > 0) this.privates(object, family);
    if ((flags & T.NOT_EXTENSIBLE) !== 0) preventExtensions(object);
  }

  private adopt(object: object, prototype: object | null): void {
    if (prototypeOf(object) === prototype) return;
    if (!setPrototypeOf(object, prototype)) throw this.corrupt('a prototype that can be set');
  }

  private properties(object: object): void {
    const list = readProperties(this);
    for (let i = 0; i < list.length; i++) this.define(object, list[i] as ReadProperty);
  }

  protected define(object: object, property: ReadProperty): void {
    // It may be somebody's prototype: assignment could fall into it.
    const { descriptor, isStack } = property;
    if (descriptor !== undefined && !isStack && descriptor.writable !== true) this.epoch++;
    defineOwn(object, property);
  }

  private privates(object: object, family: ReadFamily): void {
    for (let i = 0; i < family.owners.length; i++) {
      const at = this.at;
      const count = this.count(1, 'private members');
      if (count === 0) continue;
      const values: unknown[] = [];
      for (let v = 0; v < count - 1; v++) values[v] = this.value();
      this.guarded(at, () => this.ports.brand?.(object, family.owners[i] as object, values));
    }
  }

  private defineFamily(): void {
    // A definition may stand between the mark of deferral and its node.
    const isLater = this.isDeferred();
    const at = this.at;
    const prototype = this.value();
    if (prototype !== null && !isObject(prototype)) throw this.corrupt('a prototype', at);
    const count = this.count(1, 'classes');
    const owners: object[] = [];
    for (let i = 0; i < count; i++) owners[i] = this.reference();
    this.addFamily(prototype, owners);
    this.deferred = isLater;
  }

  private defineShape(): ReadShape {
    const isLater = this.isDeferred();
    const family = this.family();
    const count = this.count(1, 'keys');
    const keys: string[] = [];
    const seen = new SafeMap<string, true>();
    for (let i = 0; i < count; i++) {
      const key = this.text();
      if (seen.has(key)) throw this.corrupt('a key that is not there yet');
      seen.set(key, true);
      keys[i] = key;
    }
    const shape: ReadShape = { family, keys, decoder: undefined, epoch: 0 };
    this.shapes[this.shapes.length] = shape;
    this.deferred = isLater;
    return shape;
  }

  protected weakEntry(): void {
    const at = this.at;
    const collection = this.reference();
    const key = this.value() as object;
    if (!isObject(key) && typeof key !== 'symbol') throw this.corrupt('the key of a weak entry', at);
    if (accepts((value: WeakMap<object, unknown>) => weakMapHas(value, key), collection)) {
      const value = this.value();
      this.guarded(at, () => weakMapSet(collection as WeakMap<object, unknown>, key, value));
    } else if (accepts((value: WeakSet<object>) => weakSetHas(value, key), collection))
      this.guarded(at, () => weakSetAdd(collection as WeakSet<object>, key));
    else throw this.corrupt('a weak collection', at);
  }

  /** What the program changed about known objects; applied when everything has been read. */
  protected differences(): Changes[] {
    const count = this.count(3, 'changed objects');
    const changes: Changes[] = [];
    for (let i = 0; i < count; i++) {
      const object = this.reference();
      const flags = this.byte();
      const at = this.at;
      const prototype = (flags & T.LATE_PROTOTYPE) === 0 ? undefined : (this.value() as object | null);
      if (prototype !== undefined && prototype !== null && !isObject(prototype)) throw this.corrupt('a prototype', at);
      changes[changes.length] = { object, flags, prototype, properties: readProperties(this) };
    }
    return changes;
  }

  /** What stands as a getter or setter. */
  isAccessor(value: unknown): boolean {
    return typeof value === 'function';
  }
}

/** Reads, or says that the bytes are damaged, whatever came of them. */
export function totally<R>(read: () => R): R {
  try {
    return read();
  } catch (error) {
    resetStacks();
    if (error instanceof HeapError) throw error;
    const message = error instanceof Error ? error.message : String(error);
    throw new HeapError('TT_CORRUPT_STATE', `state is damaged: ${message}`, { cause: error });
  }
}

/** A family that says nothing about prototypes. */
function isOpen(number: number): boolean {
  return number === T.FUNCTIONS || number === T.PROXIES || number === T.STRAYS;
}

function define(object: object, key: string, value: unknown): void {
  defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
