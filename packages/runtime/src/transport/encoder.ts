// Encodes a message as bytes. Passes and refuses the same values as `ArgumentCopier`, with equal results. An object is
// written once per message, and its number for each further mention. Runs no code of the program except accessors of
// plain objects. Hot path: guarded by bench/transport.

import { nodeBufferPrototype, viewNumbers } from '../messaging/buffer-views.ts';
import {
  functionRefused,
  instanceRefused,
  symbolKeyRefused,
  checkSymbol,
  proxyRefused,
  NotPassableValue,
  sharedMemoryRefused,
  transferredRefused,
  wellKnownSymbols,
} from '../messaging/not-passable.ts';
import { FrameWriter, varintAt } from './frame-writer.ts';
import { RESET_FLAG, PARCEL_FLAG, FRAME_PREFIX_BYTES, SHARED_FLAG } from './ring.ts';
import { firstKeyOf, giveTwin, NO_TWIN, type WriterShape, countUse, type WriterTables } from './shapes.ts';
import * as T from './tags.ts';
import type { TransportDeps, WireWriter } from './wire.ts';

const { getOwnPropertySymbols, getOwnPropertyDescriptor, getPrototypeOf, hasOwn, keys: keysOf } = Object;
const { isArray } = Array;
const { isView } = ArrayBuffer;
const { apply, ownKeys } = Reflect;
const objectPrototype: unknown = Object.prototype;
const mapForEach = Map.prototype.forEach;
const setForEach = Set.prototype.forEach;
const { getTime } = Date.prototype;
const NativeMap = Map;
const symbolNames = new Map<symbol, string>([...wellKnownSymbols].map(([name, symbol]) => [symbol, name]));
/** Number of objects that are found by linear search. Further objects are in a map. */
const MAX_LINEAR_SEARCH = 8;
/** Length above which an array may be written as sparse, without its holes. */
const MIN_SPARSE_LENGTH = 1 << 12;
/** Maximum number of shapes that are tried before an object is examined. */
const MAX_RECENT_SHAPES = 4;
/** Examples of arrays, one for each kind of elements that V8 distinguishes. */
const ORDINARY_ARRAYS: readonly (readonly unknown[])[] = [['a'], [1], [0.5], holed('a'), holed(1), holed(0.5)];

type Plain = Record<string, unknown>;

function holed(value: unknown): unknown[] {
  const array: unknown[] = new Array(2);
  array[0] = value;
  return array;
}

function never(): boolean {
  return false;
}

interface DeferredContents {
  readonly value: object;
  /** Properties of a plain object, read when the object was first visited. */
  readonly values: Plain | undefined;
}

export class Encoder extends FrameWriter implements WireWriter {
  private readonly deps: TransportDeps;
  private readonly tables: WriterTables | undefined;
  /** Size from which ArrayBuffers are posted. */
  private readonly maxRingBytes: number;
  buffers: ArrayBuffer[] = [];
  private isShared = false;
  private depth = 0;
  private objectCount = 0;
  private readonly firstObjects: unknown[] = [];
  private otherObjects: Map<unknown, number> | undefined = undefined;
  private deferred: DeferredContents[] = [];
  /** Shapes of recent objects, the latest one first. */
  private readonly recentShapes: WriterShape[] = [];
  /** Comparison of V8's hidden classes. In a field, so that V8 inlines it. */
  private readonly sameShape: (a: object, b: object) => boolean;

  constructor(deps: TransportDeps, tables: WriterTables | undefined, maxRingBytes: number) {
    super();
    this.deps = deps;
    this.tables = tables;
    this.maxRingBytes = maxRingBytes;
    this.sameShape = (tables === undefined ? undefined : deps.engine?.sameShape) ?? never;
  }

  header(
    kind: number,
    sender: number,
    actor: number,
    target: number,
    replyTo: number,
    call: string | undefined,
    count: number,
  ): void {
    if (this.tables?.isReset === true) this.recentShapes.length = 0;
    this.room(80);
    const { bytes, tables } = this;
    let at = varintAt(bytes, this.at, kind);
    at = varintAt(bytes, at, sender);
    at = varintAt(bytes, at, actor);
    at = varintAt(bytes, at, target);
    at = varintAt(bytes, at, replyTo);
    if (call === undefined) bytes[at++] = T.NO_CALL;
    else {
      const number = tables === undefined ? -1 : tables.numberOf(call);
      if (number < 0) {
        this.at = at;
        return this.newCallHeader(call, count);
      }
      at = varintAt(bytes, at, T.FIRST_CALL + number);
    }
    this.at = varintAt(bytes, at, count);
  }

  /** Writes the name of a call that has no number yet, and assigns one. */
  private newCallHeader(call: string, count: number): void {
    const { tables } = this;
    this.integer(tables === undefined ? T.CALL_BY_NAME : T.NEW_CALL);
    this.text(call);
    tables?.defineCall(call);
    this.integer(count);
  }

  /** Writes deferred contents, then the prefix. Returns the length of the frame. */
  finish(): number {
    for (let i = 0; i < this.deferred.length; i++) this.contents(this.deferred[i] as DeferredContents);
    const length = this.at - this.start;
    this.prefix(length);
    return length;
  }

  /** Reduces the frame to its prefix, because the message is posted. */
  leavePrefix(): number {
    this.prefix(FRAME_PREFIX_BYTES);
    this.view.setUint32(this.start, this.view.getUint32(this.start, true) | PARCEL_FLAG, true);
    return FRAME_PREFIX_BYTES;
  }

  private prefix(length: number): void {
    let word = length;
    if (this.isShared) word |= SHARED_FLAG;
    if (this.buffers.length > 0) word |= PARCEL_FLAG;
    if (this.tables?.isReset === true) word |= RESET_FLAG;
    this.view.setUint32(this.start, word, true);
  }

  /** Forgets the objects of a message. Called after each message, also after a refused one. */
  reset(): void {
    if (this.objectCount > 0) {
      const few = this.objectCount < MAX_LINEAR_SEARCH ? this.objectCount : MAX_LINEAR_SEARCH;
      for (let i = 0; i < few; i++) this.firstObjects[i] = undefined;
      this.objectCount = 0;
      this.otherObjects = undefined;
    }
    if (this.deferred.length > 0) this.deferred = [];
    if (this.buffers.length > 0) this.buffers = [];
    this.isShared = false;
    this.depth = 0;
    this.releaseMemory();
  }

  private symbol(value: symbol): void {
    checkSymbol(value);
    const name = symbolNames.get(value);
    this.byte(name === undefined ? T.REGISTERED_SYMBOL : T.KNOWN_SYMBOL);
    this.text(name ?? (Symbol.keyFor(value) as string));
  }

  value(value: unknown): void {
    switch (typeof value) {
      case 'number':
        return this.number(value);
      case 'string':
        return this.text(value);
      case 'object':
        return value === null ? this.byte(T.NULL) : this.object(value);
      case 'boolean':
        return this.byte(value ? T.TRUE : T.FALSE);
      case 'undefined':
        return this.byte(T.UNDEFINED);
      case 'bigint':
        return this.bigint(value);
      case 'symbol':
        return this.symbol(value);
      case 'function':
        if (!this.tryReference(value)) throw functionRefused(value);
    }
  }

  private object(value: object): void {
    if (this.objectCount > 0) {
      const number = this.numberOf(value);
      if (number >= 0) {
        this.isShared = true;
        return this.tagged(T.BACK_REFERENCE, number);
      }
    }
    const { recentShapes, sameShape } = this;
    for (let i = 0; i < recentShapes.length; i++) {
      const shape = recentShapes[i] as WriterShape;
      if (sameShape(value, shape.twin)) {
        if (firstKeyOf(value) !== shape.firstKey) break;
        return this.sameShaped(value as Plain, shape);
      }
    }
    if (isArray(value)) return this.array(value);
    const prototype: unknown = getPrototypeOf(value);
    if (prototype === objectPrototype) return this.plain(value, { ...value } as Plain, false);
    this.rare(value, prototype);
  }

  private numberOf(value: object): number {
    const { firstObjects, objectCount } = this;
    const count = objectCount < MAX_LINEAR_SEARCH ? objectCount : MAX_LINEAR_SEARCH;
    for (let i = 0; i < count; i++) if (firstObjects[i] === value) return i;
    return this.otherObjects?.get(value) ?? -1;
  }

  private remember(value: object): void {
    const number = this.objectCount++;
    if (number < MAX_LINEAR_SEARCH) this.firstObjects[number] = value;
    else (this.otherObjects ??= new NativeMap()).set(value, number);
  }

  private tryReference(value: object): boolean {
    const reference = this.deps.referenceFor(value);
    if (reference === undefined) return false;
    this.byte(T.REFERENCE);
    this.deps.writeReference(reference, this);
    return true;
  }

  /** Defers the contents of an object that is nested too deep. Returns false if the object is not too deep. */
  private tryDefer(tag: number, value: object, values: Plain | undefined): boolean {
    if (this.depth < T.MAX_DEPTH) return false;
    this.byte(tag);
    this.deferred.push({ value, values });
    this.isShared = true;
    return true;
  }

  private contents({ value, values }: DeferredContents): void {
    if (values !== undefined) this.byKeys(value, values, keysOf(values));
    else if (isArray(value)) this.elements(value, false);
    else if (this.deps.types.isMap(value)) this.entries(value);
    else this.members(value as Set<unknown>);
  }

  /** Writes a plain object. `values` has the properties of `value`. */
  private plain(value: object, values: Plain, hasNullPrototype: boolean): void {
    if (this.tryReference(value)) return;
    this.remember(value);
    if (this.tryDefer(hasNullPrototype ? T.LATER_BARE : T.LATER_OBJECT, value, values)) return;
    const keys = keysOf(values);
    const shape = this.tables?.shapeOf(keys, hasNullPrototype);
    if (shape === undefined) {
      this.byte(hasNullPrototype ? T.BARE_OBJECT : T.OBJECT);
      return this.byKeys(value, values, keys);
    }
    this.shapeTag(shape, keys, hasNullPrototype);
    this.depth++;
    const write = shape.write ?? countUse(shape, keys);
    if (write !== undefined) write(this, values);
    else for (let i = 0; i < keys.length; i++) this.value(values[keys[i] as string]);
    this.depth--;
    if (getOwnPropertySymbols(values).length > 0) throw symbolKeyRefused(value);
    if (!hasNullPrototype) this.rememberShape(value as Plain, shape, keys);
  }

  /** Writes an object whose hidden class is known to have plain properties with the shape's keys, and nothing else. */
  private sameShaped(value: Plain, shape: WriterShape): void {
    if (this.tryReference(value)) return;
    this.remember(value);
    if (this.depth >= T.MAX_DEPTH && this.tryDefer(T.LATER_OBJECT, value, { ...value })) return;
    const { keys } = shape;
    this.shapeTag(shape, keys, false);
    this.depth++;
    const write = shape.write ?? countUse(shape, keys);
    if (write !== undefined) write(this, value);
    else for (let i = 0; i < keys.length; i++) this.value(value[keys[i] as string]);
    this.depth--;
  }

  private shapeTag(shape: WriterShape, keys: readonly string[], hasNullPrototype: boolean): void {
    if (shape.number >= 0) return this.tagged(T.SHAPED, shape.number);
    this.tagged(T.NEW_SHAPE, 2 * keys.length + (hasNullPrototype ? 1 : 0));
    for (let i = 0; i < keys.length; i++) this.text(keys[i] as string);
    this.tables?.define(shape);
  }

  /** Remembers a shape, so that later objects of its hidden class are not examined. */
  private rememberShape(value: Plain, shape: WriterShape, keys: readonly string[]): void {
    const { engine } = this.deps;
    if (engine === undefined || keys.length === 0) return;
    if (shape.twin === NO_TWIN ? shape.uses === 4 : shape.uses % 256 === 0) giveTwin(shape, value, keys, engine);
    if (shape.twin === NO_TWIN || !engine.sameShape(value, shape.twin)) return;
    const { recentShapes: recent } = this;
    const at = recent.indexOf(shape);
    if (at < 0) recent.length = Math.min(recent.length, MAX_RECENT_SHAPES - 1);
    else recent.splice(at, 1);
    recent.unshift(shape);
  }

  private byKeys(value: object, values: Plain, keys: readonly string[]): void {
    this.integer(keys.length);
    this.depth++;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      this.text(key);
      this.value(values[key]);
    }
    this.depth--;
    if (getOwnPropertySymbols(values).length > 0) throw symbolKeyRefused(value);
  }

  private array(value: readonly unknown[]): void {
    const isOrdinary = this.isOrdinaryArray(value);
    if (!isOrdinary && this.deps.types.isProxy(value)) throw proxyRefused(value);
    this.remember(value);
    if (this.tryDefer(T.LATER_ARRAY, value, undefined)) return;
    this.elements(value, isOrdinary);
  }

  /** Whether V8's hidden class shows that the array has elements only. */
  private isOrdinaryArray(value: readonly unknown[]): boolean {
    const { sameShape } = this;
    for (let i = 0; i < ORDINARY_ARRAYS.length; i++)
      if (sameShape(value, ORDINARY_ARRAYS[i] as readonly unknown[])) return true;
    return false;
  }

  /** Writes the elements of an array. The tag says whether other properties follow. */
  private elements(value: readonly unknown[], isOrdinary: boolean): void {
    const { length } = value;
    if (length > MIN_SPARSE_LENGTH && isSparse(value)) return this.sparse(value);
    const tag = this.at - this.start;
    this.tagged(T.ARRAY, length);
    this.depth++;
    let ownCount = length;
    for (let i = 0; i < length; i++) {
      const element = value[i];
      if (element !== undefined || i in value) this.value(element);
      else {
        this.byte(T.HOLE);
        ownCount--;
      }
    }
    this.depth--;
    if (isOrdinary) return;
    // `ownKeys` has `length`, and perhaps other properties, as the result of `match` has an index.
    if (length < 64 ? ownKeys(value).length <= ownCount + 1 : !hasOwn(value, 'index')) return;
    this.bytes[this.start + tag] = T.ODD_ARRAY;
    this.ownProperties(value, isElement);
  }

  private sparse(value: readonly unknown[]): void {
    const indices = keysOf(value).filter(isElement);
    this.tagged(T.SPARSE, value.length);
    this.integer(indices.length);
    this.depth++;
    for (const index of indices) {
      this.integer(Number(index));
      this.value(value[Number(index)]);
    }
    this.depth--;
  }

  /** Writes own properties, except implicit ones, which exist in the copy without being written. */
  private ownProperties(value: object, isImplicit: (key: string) => boolean): void {
    const keys: string[] = [];
    for (const key of ownKeys(value)) {
      if (typeof key === 'symbol') throw symbolKeyRefused(value);
      if (!isImplicit(key)) keys.push(key);
    }
    this.integer(keys.length);
    this.depth++;
    for (const key of keys) {
      this.text(key);
      this.byte(getOwnPropertyDescriptor(value, key)?.enumerable === true ? T.TRUE : T.FALSE);
      this.value((value as Plain)[key]);
    }
    this.depth--;
  }

  private rare(value: object, prototype: unknown): void {
    const { types } = this.deps;
    if (prototype !== null && this.tryReference(value)) return;
    if (types.isProxy(value)) throw proxyRefused(value);
    if (prototype === null) return this.plain(value, { __proto__: null, ...value } as unknown as Plain, true);
    if (types.isNativeError(value)) return this.error(value, prototype as object);
    if (!this.builtin(value, prototype as object)) throw instanceRefused(value, prototype as object);
  }

  private builtin(value: object, prototype: object): boolean {
    const { types } = this.deps;
    if (types.isDate(value) && prototype === Date.prototype) {
      this.remember(value);
      this.room(9);
      this.bytes[this.at++] = T.DATE;
      this.view.setFloat64(this.at, apply(getTime, value, []), true);
      this.at += 8;
    } else if (types.isMap(value) && prototype === Map.prototype) {
      this.remember(value);
      if (!this.tryDefer(T.LATER_MAP, value, undefined)) this.entries(value);
    } else if (types.isSet(value) && prototype === Set.prototype) {
      this.remember(value);
      if (!this.tryDefer(T.LATER_SET, value, undefined)) this.members(value);
    } else if (types.isRegExp(value) && prototype === RegExp.prototype) {
      this.remember(value);
      this.byte(T.REGEXP);
      this.text(value.source);
      this.text(value.flags);
      this.value(value.lastIndex);
    } else if (types.isArrayBuffer(value)) this.buffer(value);
    else if (isView(value)) this.viewOn(value, prototype);
    else if (types.isBoxedPrimitive(value)) {
      this.remember(value);
      this.byte(T.BOXED);
      this.value((value as { valueOf(): unknown }).valueOf());
    } else return false;
    return true;
  }

  private entries(value: Map<unknown, unknown>): void {
    this.byte(T.MAP);
    this.depth++;
    apply(mapForEach, value, [
      (inner: unknown, key: unknown) => {
        this.value(key);
        this.value(inner);
      },
    ]);
    this.depth--;
    this.byte(T.END);
  }

  private members(value: Set<unknown>): void {
    this.byte(T.SET);
    this.depth++;
    apply(setForEach, value, [(inner: unknown) => this.value(inner)]);
    this.depth--;
    this.byte(T.END);
  }

  private buffer(value: ArrayBuffer): void {
    if (value.detached) throw transferredRefused(value);
    this.remember(value);
    const { byteLength, resizable, maxByteLength } = value;
    if (byteLength >= this.maxRingBytes) {
      this.tagged(T.ENCLOSED, this.buffers.length);
      this.buffers.push(resizable ? structuredClone(value) : value.slice(0));
      return;
    }
    this.tagged(resizable ? T.RESIZABLE : T.BUFFER, byteLength);
    if (resizable) this.integer(maxByteLength);
    this.blob(new Uint8Array(value));
  }

  /** Writes a view with its whole buffer; for a Node.js Buffer, which may share a pool, writes only its own bytes. */
  private viewOn(value: ArrayBufferView, prototype: object): void {
    const { buffer, byteOffset, byteLength } = value;
    if (!this.deps.types.isArrayBuffer(buffer)) throw sharedMemoryRefused(value);
    if (prototype === nodeBufferPrototype) {
      this.remember(value);
      return this.nodeBuffer(new Uint8Array(buffer, byteOffset, byteLength));
    }
    const number = viewNumbers.get(prototype);
    if (number === undefined) throw instanceRefused(value, prototype);
    this.tagged(T.VIEW, number);
    this.object(buffer);
    this.remember(value);
    if (byteOffset === 0 && byteLength === buffer.byteLength) return this.byte(T.TRUE);
    this.byte(T.FALSE);
    this.integer(byteOffset);
    this.integer('length' in value ? (value as Uint8Array).length : byteLength);
  }

  private nodeBuffer(bytes: Uint8Array): void {
    if (bytes.length < this.maxRingBytes) {
      this.tagged(T.NODE_BUFFER, bytes.length);
      return this.blob(bytes);
    }
    this.tagged(T.ENCLOSED_NODE_BUFFER, this.buffers.length);
    this.buffers.push(bytes.slice().buffer as ArrayBuffer);
  }

  private error(value: Error, prototype: object): void {
    if (this.depth > T.MAX_ERROR_DEPTH)
      throw new NotPassableValue(
        value,
        `it has more than ${T.MAX_ERROR_DEPTH} causes, one of another`,
        'pass fewer of them',
      );
    this.remember(value);
    let number = -1;
    let name = '';
    for (
      let each: object | null = prototype;
      each !== null && number < 0;
      each = getPrototypeOf(each) as object | null
    ) {
      number = T.ERRORS.indexOf(each);
      if (number < 0 && name === '') name = this.deps.errorClassName(each) ?? '';
    }
    this.tagged(T.ERROR, Math.max(number, 0));
    this.text(name);
    if (number === T.DOM_EXCEPTION) {
      // Message and name of a DOMException are internal, so they are no own properties.
      this.text(value.message);
      this.text(value.name);
    }
    this.value(value.stack);
    this.ownProperties(value, isStack);
  }
}

/** Whether most elements are holes. Samples first, since listing all keys is expensive. */
function isSparse(value: readonly unknown[]): boolean {
  const { length } = value;
  for (let i = 0; i < length; i += Math.floor(length / 16))
    if (!(i in value)) return !hasOwn(value, 'index') && keysOf(value).length < length / 2;
  return false;
}

function isElement(key: string): boolean {
  return key === 'length' || `${Number(key) >>> 0}` === key;
}

function isStack(key: string): boolean {
  return key === 'stack';
}
