// Decodes the bytes of a message. Total: any bytes become values or an error. Nothing is read beyond the end of the
// bytes, nothing is allocated that the bytes could not fill, and the bytes contain no code. Objects are usually created
// when their values have been read; in a message with back references, all are created first. Hot path: guarded by
// bench/transport.

import { nodeBufferPrototype, viewTypes } from '../messaging/buffer-views.ts';
import { wellKnownSymbols } from '../messaging/not-passable.ts';
import type { TextBuffer } from './ring.ts';
import { ReaderShape } from './shapes.ts';
import * as T from './tags.ts';
import type { TransportDeps, WireReader } from './wire.ts';

const { defineProperty, setPrototypeOf } = Object;
const { isArray } = Array;
const { apply, deleteProperty } = Reflect;
const { fromCharCode } = String;
const mapSet = Map.prototype.set;
const setAdd = Set.prototype.add;
const NativeMap = Map;
const NativeSet = Set;
const NativeDate = Date;
/** Number of bytes that become text at once. Strings are slices of the text: a kept string keeps at most this alive. */
const TEXT_WINDOW_BYTES = 512;
const MAX_BRIEF_STRING = 8;
const MAX_NESTING = 2 * T.MAX_ERROR_DEPTH;
/** Maximum length of a sparse array with ordinary elements. Longer ones get dictionary elements. */
const MAX_DENSE_LENGTH = 1 << 16;
const MAX_ARRAY_INDEX = 2 ** 32 - 2;

type Plain = Record<string, unknown>;

/** Error for bytes that are no message. The error's message names the expected item. */
export class MalformedMessageError extends Error {}

export class Decoder implements WireReader {
  private readonly deps: TransportDeps;
  bytes = Buffer.alloc(0) as unknown as TextBuffer;
  view: DataView = new DataView(new ArrayBuffer(0));
  at = 0;
  end = 0;
  private buffers: readonly ArrayBuffer[] = [];
  /** Text of a range of the bytes, with its start and end. Generated code reads it, too. */
  window = '';
  windowStart = 0;
  windowEnd = 0;
  private isShared = false;
  private readonly objects: object[] = [];
  private readonly deferred: object[] = [];
  private depth = 0;
  private shapes: ReaderShape[] = [];
  private calls: string[] = [];

  constructor(deps: TransportDeps) {
    this.deps = deps;
  }

  begin(bytes: TextBuffer, view: DataView, at: number, end: number, isShared: boolean): void {
    if (bytes !== this.bytes) {
      this.bytes = bytes;
      this.view = view;
      this.forgetText();
    }
    this.at = at;
    this.end = end;
    this.isShared = isShared;
  }

  /** Forgets the text of earlier bytes. Called when the bytes may have changed. */
  forgetText(): void {
    this.windowEnd = this.windowStart = 0;
  }

  setBuffers(buffers: readonly ArrayBuffer[]): void {
    this.buffers = buffers;
  }

  resetTables(): void {
    this.shapes = [];
    this.calls = [];
  }

  call(): string | undefined {
    const number = this.integer();
    if (number >= T.FIRST_CALL) {
      const call = this.calls[number - T.FIRST_CALL];
      if (call === undefined) throw new MalformedMessageError('the number of a call');
      return call;
    }
    if (number === T.NO_CALL) return undefined;
    const call = this.text();
    if (number === T.NEW_CALL) this.calls.push(call);
    return call;
  }

  /** Reads deferred contents, which follow the arguments. */
  finish(): void {
    for (let i = 0; i < this.deferred.length; i++) this.contents(this.deferred[i] as object);
    if (this.at !== this.end) throw new MalformedMessageError('the end of the message');
  }

  reset(): void {
    if (this.objects.length > 0) this.objects.length = 0;
    if (this.deferred.length > 0) this.deferred.length = 0;
    if (this.buffers.length > 0) this.buffers = [];
    this.depth = 0;
  }

  private byte(): number {
    if (this.at >= this.end) throw new MalformedMessageError('another byte');
    return this.bytes[this.at++] as number;
  }

  integer(): number {
    const { at, end, bytes } = this;
    if (at + 1 < end) {
      const first = bytes[at] as number;
      if (first < 0x80) {
        this.at = at + 1;
        return first;
      }
      const second = bytes[at + 1] as number;
      if (second < 0x80) {
        this.at = at + 2;
        return (first & 0x7f) | (second << 7);
      }
    }
    return this.longInteger();
  }

  private longInteger(): number {
    let value = 0;
    let factor = 1;
    for (let i = 0; i < 8; i++) {
      const next = this.byte();
      value += (next & 0x7f) * factor;
      if (next < 0x80) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
      factor *= 128;
    }
    throw new MalformedMessageError('an integer below 2^53');
  }

  /** Reads a count of things that follow. Throws if they do not fit, at `size` bytes or more for each. */
  private count(size: number): number {
    const count = this.integer();
    if (count * size > this.end - this.at) throw new MalformedMessageError('a count that fits into the message');
    return count;
  }

  private double(): number {
    const { at } = this;
    if (at + 8 > this.end) throw new MalformedMessageError('the eight bytes of a number');
    this.at = at + 8;
    return this.view.getFloat64(at, true);
  }

  private int32(): number {
    const { at } = this;
    if (at + 4 > this.end) throw new MalformedMessageError('the four bytes of an integer');
    this.at = at + 4;
    return this.view.getInt32(at, true);
  }

  text(): string {
    const tag = this.byte();
    if (tag >= T.SHORT && tag < T.SMALL) return this.short(tag & 0x3f);
    if (tag === T.NARROW) return this.narrow();
    if (tag === T.WIDE) return this.wide();
    throw new MalformedMessageError('a string');
  }

  short(length: number): string {
    const { at } = this;
    const to = at + length;
    if (to > this.end) throw new MalformedMessageError('the characters of a string');
    this.at = to;
    if (at < this.windowStart || to > this.windowEnd) {
      if (length <= MAX_BRIEF_STRING) return readBriefString(this.bytes, at, length);
      this.windowStart = at;
      // May extend beyond the message, whose strings never use that part of the text.
      this.windowEnd = Math.min(at + TEXT_WINDOW_BYTES, this.bytes.length);
      this.window = this.bytes.latin1Slice(at, this.windowEnd);
    }
    return this.window.substring(at - this.windowStart, to - this.windowStart);
  }

  private narrow(): string {
    const length = this.count(1);
    const { at } = this;
    this.at = at + length;
    return this.bytes.latin1Slice(at, this.at);
  }

  private wide(): string {
    const length = this.count(2);
    const { at } = this;
    this.at = at + 2 * length;
    return this.bytes.ucs2Slice(at, this.at);
  }

  private bigint(): bigint {
    const sign = this.byte();
    if (sign === 0) {
      const { at } = this;
      if (at + 8 > this.end) throw new MalformedMessageError('the eight bytes of a bigint');
      this.at = at + 8;
      return this.view.getBigInt64(at, true);
    }
    const digits = this.text();
    if (sign > 2 || !/^[\da-f]+$/.test(digits)) throw new MalformedMessageError('the digits of a bigint');
    const value = BigInt(`0x${digits}`);
    return sign === 2 ? -value : value;
  }

  private knownSymbol(): symbol {
    const symbol = wellKnownSymbols.get(this.text());
    if (symbol === undefined) throw new MalformedMessageError('a symbol of the language');
    return symbol;
  }

  private span(length: number): Uint8Array {
    const { at } = this;
    this.at = at + length;
    return this.bytes.subarray(at, this.at);
  }

  value(): unknown {
    if (this.at >= this.end) throw new MalformedMessageError('a value');
    const tag = this.bytes[this.at++] as number;
    if (tag >= T.SMALL) return tag & 0x7f;
    if (tag >= T.SHORT) return this.short(tag & 0x3f);
    switch (tag) {
      case T.DOUBLE:
        return this.double();
      case T.INTEGER:
        return this.int32();
      case T.SHAPED:
        return this.shaped();
      case T.UNDEFINED:
        return undefined;
      case T.NULL:
        return null;
      case T.TRUE:
        return true;
      case T.FALSE:
        return false;
      case T.NARROW:
        return this.narrow();
      case T.WIDE:
        return this.wide();
    }
    if (this.depth > MAX_NESTING) throw new MalformedMessageError('less nesting');
    this.depth++;
    const value = this.rare(tag);
    this.depth--;
    return value;
  }

  private rare(tag: number): unknown {
    switch (tag) {
      case T.NEW_SHAPE:
        return this.newShape();
      case T.OBJECT:
        return this.byKeys(this.remember({}));
      case T.BARE_OBJECT:
        return this.byKeys(this.remember({ __proto__: null } as unknown as Plain));
      case T.ARRAY:
      case T.ODD_ARRAY:
      case T.SPARSE:
        return this.elements(tag, this.remember([]));
      case T.MAP:
        return this.entries(this.remember(new NativeMap()));
      case T.SET:
        return this.members(this.remember(new NativeSet()));
      case T.BACK_REFERENCE:
        return this.backReference();
      case T.DATE:
        return this.remember(new NativeDate(this.double()));
      case T.BIGINT:
        return this.bigint();
      case T.REFERENCE:
        return this.deps.readReference(this);
      case T.ERROR:
        return this.error();
      case T.REGEXP: {
        const regexp = this.remember(new RegExp(this.text(), this.text()));
        regexp.lastIndex = this.value() as number;
        return regexp;
      }
      case T.BOXED:
        return this.boxed();
      case T.REGISTERED_SYMBOL:
        return Symbol.for(this.text());
      case T.KNOWN_SYMBOL:
        return this.knownSymbol();
    }
    return this.binary(tag);
  }

  private binary(tag: number): unknown {
    switch (tag) {
      case T.BUFFER: {
        const bytes = this.span(this.count(1));
        const buffer = this.remember(new ArrayBuffer(bytes.length));
        new Uint8Array(buffer).set(bytes);
        return buffer;
      }
      case T.RESIZABLE: {
        const length = this.integer();
        const maxByteLength = this.integer();
        if (length > this.end - this.at) throw new MalformedMessageError('the bytes of a buffer');
        const bytes = this.span(length);
        const buffer = this.remember(new ArrayBuffer(length, { maxByteLength }));
        new Uint8Array(buffer).set(bytes);
        return buffer;
      }
      case T.ENCLOSED:
        return this.remember(this.enclosedBuffer());
      case T.VIEW:
        return this.viewOn();
      case T.NODE_BUFFER: {
        const bytes = this.span(this.count(1));
        return this.remember(setPrototypeOf(new Uint8Array(bytes), nodeBufferPrototype) as object);
      }
      case T.ENCLOSED_NODE_BUFFER:
        return this.remember(setPrototypeOf(new Uint8Array(this.enclosedBuffer()), nodeBufferPrototype) as object);
      case T.LATER_OBJECT:
        return this.defer({});
      case T.LATER_BARE:
        return this.defer({ __proto__: null });
      case T.LATER_ARRAY:
        return this.defer([]);
      case T.LATER_MAP:
        return this.defer(new NativeMap());
      case T.LATER_SET:
        return this.defer(new NativeSet());
    }
    throw new MalformedMessageError('the kind of a value');
  }

  private backReference(): object {
    const object = this.objects[this.integer()];
    if (object === undefined) throw new MalformedMessageError('the number of an object');
    return object;
  }

  private remember<V extends object>(value: V): V {
    if (this.isShared) this.objects.push(value);
    return value;
  }

  private defer(value: object): object {
    if (!this.isShared) throw new MalformedMessageError('contents without references');
    this.deferred.push(value);
    return this.remember(value);
  }

  private contents(value: object): void {
    const { types } = this.deps;
    if (isArray(value)) return void this.elements(this.byte(), value);
    if (types.isMap(value)) return void (this.byte() === T.MAP ? this.entries(value) : this.failContents('a Map'));
    if (types.isSet(value)) return void (this.byte() === T.SET ? this.members(value) : this.failContents('a Set'));
    this.byKeys(value as Plain);
  }

  private failContents(what: string): never {
    throw new MalformedMessageError(`the contents of ${what}`);
  }

  private shaped(): object {
    const shape = this.shapes[this.integer()];
    if (shape === undefined) throw new MalformedMessageError('the number of a shape');
    if (this.depth > MAX_NESTING) throw new MalformedMessageError('less nesting');
    this.depth++;
    const object = shape.read !== undefined && !this.isShared ? shape.read(this) : this.byShape(shape);
    this.depth--;
    return object;
  }

  private newShape(): object {
    const word = this.integer();
    const count = word >>> 1;
    if (count > T.MAX_SHAPE_KEYS) throw new MalformedMessageError('fewer keys');
    const keys: string[] = [];
    for (let i = 0; i < count; i++) keys.push(this.text());
    const shape = new ReaderShape(keys, (word & 1) === 1);
    this.shapes.push(shape);
    return this.byShape(shape);
  }

  private byShape(shape: ReaderShape): object {
    const { keys, hasNullPrototype } = shape;
    const object = this.remember((hasNullPrototype ? { __proto__: null } : {}) as Plain);
    for (let i = 0; i < keys.length; i++) assign(object, keys[i] as string, this.value());
    shape.countUse();
    return object;
  }

  private byKeys(object: Plain): object {
    const count = this.count(2);
    for (let i = 0; i < count; i++) assign(object, this.text(), this.value());
    return object;
  }

  private elements(tag: number, array: unknown[]): unknown[] {
    if (tag === T.SPARSE) return this.sparse(array);
    if (tag !== T.ARRAY && tag !== T.ODD_ARRAY) this.failContents('an array');
    const count = this.count(1);
    const hole = T.HOLE;
    for (let i = 0; i < count; i++) {
      if (this.bytes[this.at] === hole && this.at < this.end) {
        this.at++;
        array.length = i + 1;
      } else array[i] = this.value();
    }
    if (tag === T.ODD_ARRAY) this.ownProperties(array);
    return array;
  }

  private sparse(array: unknown[]): unknown[] {
    const length = this.integer();
    if (length > MAX_ARRAY_INDEX + 1) throw new MalformedMessageError('the length of an array');
    // Array elements that are a dictionary stay one, whatever length is set afterwards.
    if (length > MAX_DENSE_LENGTH) array[MAX_ARRAY_INDEX] = undefined;
    array.length = length;
    const count = this.count(2);
    for (let i = 0; i < count; i++) {
      const index = this.integer();
      if (index >= length) throw new MalformedMessageError('an index below the length');
      array[index] = this.value();
    }
    return array;
  }

  private ownProperties(object: object): void {
    const count = this.count(3);
    for (let i = 0; i < count; i++) {
      const key = this.text();
      const enumerable = this.byte() === T.TRUE;
      defineProperty(object, key, { value: this.value(), writable: true, enumerable, configurable: true });
    }
  }

  private entries(map: Map<unknown, unknown>): object {
    while (!this.isEnd()) apply(mapSet, map, [this.value(), this.value()]);
    return map;
  }

  private members(set: Set<unknown>): object {
    while (!this.isEnd()) apply(setAdd, set, [this.value()]);
    return set;
  }

  private isEnd(): boolean {
    if (this.at >= this.end) throw new MalformedMessageError('the end of a collection');
    if (this.bytes[this.at] !== T.END) return false;
    this.at++;
    return true;
  }

  private boxed(): object {
    const number = this.objects.length;
    if (this.isShared) this.objects.push({});
    const value = this.value();
    if (value === null || value === undefined || typeof value === 'object')
      throw new MalformedMessageError('a primitive value');
    const object = Object(value) as object;
    if (this.isShared) this.objects[number] = object;
    return object;
  }

  private enclosedBuffer(): ArrayBuffer {
    const buffer = this.buffers[this.integer()];
    if (buffer === undefined) throw new MalformedMessageError('the number of a buffer');
    return buffer;
  }

  private viewOn(): object {
    const type = viewTypes[this.integer()];
    if (type === undefined) throw new MalformedMessageError('the number of a class of views');
    const buffer = this.value();
    if (!this.deps.types.isArrayBuffer(buffer)) throw new MalformedMessageError('a buffer');
    const isWhole = this.byte() === T.TRUE;
    return this.remember(isWhole ? new type(buffer) : new type(buffer, this.integer(), this.integer()));
  }

  private error(): Error {
    const number = this.integer();
    const base = T.ERRORS[number];
    if (base === undefined) throw new MalformedMessageError('the number of a class of errors');
    const name = this.text();
    const error = this.remember(
      number === T.DOM_EXCEPTION ? (new DOMException(this.text(), this.text()) as unknown as Error) : new Error(),
    );
    setPrototypeOf(error, (name === '' ? undefined : this.deps.errorPrototype(name)) ?? base);
    deleteProperty(error, 'stack');
    defineProperty(error, 'stack', { value: this.value(), writable: true, enumerable: false, configurable: true });
    this.ownProperties(error);
    return error;
  }
}

/** Sets an own property, even if the prototype has one of that name. */
function assign(object: Plain, key: string, value: unknown): void {
  if (key in object) defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

function readBriefString(bytes: TextBuffer, at: number, length: number): string {
  switch (length) {
    case 0:
      return '';
    case 1:
      return fromCharCode(bytes[at] as number);
    case 2:
      return fromCharCode(bytes[at] as number, bytes[at + 1] as number);
    case 3:
      return fromCharCode(bytes[at] as number, bytes[at + 1] as number, bytes[at + 2] as number);
    case 4:
      return readFourChars(bytes, at);
    default:
      return readFourChars(bytes, at) + readBriefString(bytes, at + 4, length - 4);
  }
}

function readFourChars(bytes: TextBuffer, at: number): string {
  return fromCharCode(bytes[at] as number, bytes[at + 1] as number, bytes[at + 2] as number, bytes[at + 3] as number);
}
