// A message as bytes, by the rules of passing.ts: what passes there passes here and comes out equal, what is refused there is refused here. One
// object is written once in a message, later mentions are its number. Runs no code of the program but accessors of plain objects.
// Hot path: guarded by bench/transport.

import { nodeBufferPrototype, viewNumbers } from '../messaging/buffer-views.ts';
import {
  functionRefused,
  instanceRefused,
  namedBySymbol,
  passedSymbol,
  proxied,
  Refused,
  sharedMemory,
  transferred,
  wellKnownSymbols,
} from '../messaging/refusal.ts';
import { FrameWriter, varintAt } from './frame-writer.ts';
import { ANEW, PARCEL, PREFIX, SHARED } from './ring.ts';
import { firstKeyOf, giveTwin, NO_TWIN, type WriterShape, writerOf, type WriterTables } from './shapes.ts';
import * as T from './tags.ts';
import type { WirePorts, WireWriter } from './wire.ts';

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
/** Until so many objects have been met, they are looked for one by one. */
const FEW = 8;
/** Holes in longer arrays are not looked at one by one. */
const LONG = 1 << 12;
/** So many shapes are tried before an object is looked at closely. */
const RECENT = 4;
/** One for each way in which the engine holds elements. */
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

interface Later {
  readonly value: object;
  /** The values of a plain object as they were when it was met. */
  readonly made: Plain | undefined;
}

export class Encoder extends FrameWriter implements WireWriter {
  private readonly ports: WirePorts;
  private readonly tables: WriterTables | undefined;
  /** ArrayBuffers of so many bytes do not go into the ring. */
  private readonly large: number;
  buffers: ArrayBuffer[] = [];
  private isShared = false;
  private depth = 0;
  private met = 0;
  private readonly few: unknown[] = [];
  private more: Map<unknown, number> | undefined = undefined;
  private later: Later[] = [];
  /** Shapes that objects have had lately, the latest first. */
  private readonly recent: WriterShape[] = [];
  /** A field, so that V8 compiles the engine's answer into this code. */
  private readonly sameShape: (a: object, b: object) => boolean;

  constructor(ports: WirePorts, tables: WriterTables | undefined, large: number) {
    super();
    this.ports = ports;
    this.tables = tables;
    this.large = large;
    this.sameShape = (tables === undefined ? undefined : ports.engine?.sameShape) ?? never;
  }

  head(
    kind: number,
    sender: number,
    actor: number,
    target: number,
    settles: number,
    call: string | undefined,
    count: number,
  ): void {
    if (this.tables?.isAnew === true) this.recent.length = 0;
    this.room(80);
    const { bytes, tables } = this;
    let at = varintAt(bytes, this.at, kind);
    at = varintAt(bytes, at, sender);
    at = varintAt(bytes, at, actor);
    at = varintAt(bytes, at, target);
    at = varintAt(bytes, at, settles);
    if (call === undefined) bytes[at++] = T.NO_CALL;
    else {
      const number = tables === undefined ? -1 : tables.numberOf(call);
      if (number < 0) {
        this.at = at;
        return this.headOfCall(call, count);
      }
      at = varintAt(bytes, at, T.FIRST_CALL + number);
    }
    this.at = varintAt(bytes, at, count);
  }

  /** Of one that has no number yet. */
  private headOfCall(call: string, count: number): void {
    const { tables } = this;
    this.integer(tables === undefined ? T.CALL_BY_NAME : T.NEW_CALL);
    this.text(call);
    tables?.defineCall(call);
    this.integer(count);
  }

  /** What had to wait, then the length and the flags; the message is whole. Answers its length. */
  finish(): number {
    for (let i = 0; i < this.later.length; i++) this.contents(this.later[i] as Later);
    const length = this.at - this.start;
    this.prefix(length);
    return length;
  }

  /** The rest of the message goes elsewhere. */
  leavePrefix(): number {
    this.prefix(PREFIX);
    this.view.setUint32(this.start, this.view.getUint32(this.start, true) | PARCEL, true);
    return PREFIX;
  }

  private prefix(length: number): void {
    let word = length;
    if (this.isShared) word |= SHARED;
    if (this.buffers.length > 0) word |= PARCEL;
    if (this.tables?.isAnew === true) word |= ANEW;
    this.view.setUint32(this.start, word, true);
  }

  /** After every message, whatever became of it. */
  forget(): void {
    if (this.met > 0) {
      const few = this.met < FEW ? this.met : FEW;
      for (let i = 0; i < few; i++) this.few[i] = undefined;
      this.met = 0;
      this.more = undefined;
    }
    if (this.later.length > 0) this.later = [];
    if (this.buffers.length > 0) this.buffers = [];
    this.isShared = false;
    this.depth = 0;
    this.letGo();
  }

  private symbol(value: symbol): void {
    passedSymbol(value);
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
        if (!this.reference(value)) throw functionRefused(value);
    }
  }

  private object(value: object): void {
    if (this.met > 0) {
      const number = this.numberOf(value);
      if (number >= 0) {
        this.isShared = true;
        return this.tagged(T.AGAIN, number);
      }
    }
    const { recent, sameShape } = this;
    for (let i = 0; i < recent.length; i++) {
      const shape = recent[i] as WriterShape;
      if (sameShape(value, shape.twin)) {
        if (firstKeyOf(value) !== shape.first) break;
        return this.alike(value as Plain, shape);
      }
    }
    if (isArray(value)) return this.array(value);
    const prototype: unknown = getPrototypeOf(value);
    if (prototype === objectPrototype) return this.plain(value, { ...value } as Plain, false);
    this.rare(value, prototype);
  }

  private numberOf(value: object): number {
    const { few, met } = this;
    const count = met < FEW ? met : FEW;
    for (let i = 0; i < count; i++) if (few[i] === value) return i;
    return this.more?.get(value) ?? -1;
  }

  private remember(value: object): void {
    const number = this.met++;
    if (number < FEW) this.few[number] = value;
    else (this.more ??= new NativeMap()).set(value, number);
  }

  private reference(value: object): boolean {
    const reference = this.ports.reference(value);
    if (reference === undefined) return false;
    this.byte(T.REFERENCE);
    this.ports.writeReference(reference, this);
    return true;
  }

  /** Whether its contents are for later, since it stands too deep. */
  private isLater(tag: number, value: object, made: Plain | undefined): boolean {
    if (this.depth < T.DEPTH) return false;
    this.byte(tag);
    this.later.push({ value, made });
    this.isShared = true;
    return true;
  }

  private contents({ value, made }: Later): void {
    if (made !== undefined) this.byKeys(value, made, keysOf(made));
    else if (isArray(value)) this.elements(value, false);
    else if (this.ports.types.isMap(value)) this.entries(value);
    else this.members(value as Set<unknown>);
  }

  /** `made`: with the values of `value`. */
  private plain(value: object, made: Plain, isBare: boolean): void {
    if (this.reference(value)) return;
    this.remember(value);
    if (this.isLater(isBare ? T.LATER_BARE : T.LATER_OBJECT, value, made)) return;
    const keys = keysOf(made);
    const shape = this.tables?.shapeOf(keys, isBare);
    if (shape === undefined) {
      this.byte(isBare ? T.BARE_OBJECT : T.OBJECT);
      return this.byKeys(value, made, keys);
    }
    this.shapeTag(shape, keys, isBare);
    this.depth++;
    const write = shape.write ?? writerOf(shape, keys);
    if (write !== undefined) write(this, made);
    else for (let i = 0; i < keys.length; i++) this.value(made[keys[i] as string]);
    this.depth--;
    if (getOwnPropertySymbols(made).length > 0) throw namedBySymbol(value);
    if (!isBare) this.recognise(value as Plain, shape, keys);
  }

  /** The engine has vouched for it: ordinary properties under the keys of the shape, and nothing else. */
  private alike(value: Plain, shape: WriterShape): void {
    if (this.reference(value)) return;
    this.remember(value);
    if (this.depth >= T.DEPTH && this.isLater(T.LATER_OBJECT, value, { ...value })) return;
    const { keys } = shape;
    this.shapeTag(shape, keys, false);
    this.depth++;
    const write = shape.write ?? writerOf(shape, keys);
    if (write !== undefined) write(this, value);
    else for (let i = 0; i < keys.length; i++) this.value(value[keys[i] as string]);
    this.depth--;
  }

  private shapeTag(shape: WriterShape, keys: readonly string[], isBare: boolean): void {
    if (shape.number >= 0) return this.tagged(T.SHAPED, shape.number);
    this.tagged(T.NEW_SHAPE, 2 * keys.length + (isBare ? 1 : 0));
    for (let i = 0; i < keys.length; i++) this.text(keys[i] as string);
    this.tables?.define(shape);
  }

  /** Objects that the engine holds in the same way need no such look from now on. */
  private recognise(value: Plain, shape: WriterShape, keys: readonly string[]): void {
    const { engine } = this.ports;
    if (engine === undefined || keys.length === 0) return;
    if (shape.twin === NO_TWIN ? shape.uses === 4 : shape.uses % 256 === 0) giveTwin(shape, value, keys, engine);
    if (shape.twin === NO_TWIN || !engine.sameShape(value, shape.twin)) return;
    const { recent } = this;
    const at = recent.indexOf(shape);
    if (at < 0) recent.length = Math.min(recent.length, RECENT - 1);
    else recent.splice(at, 1);
    recent.unshift(shape);
  }

  private byKeys(value: object, made: Plain, keys: readonly string[]): void {
    this.integer(keys.length);
    this.depth++;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as string;
      this.text(key);
      this.value(made[key]);
    }
    this.depth--;
    if (getOwnPropertySymbols(made).length > 0) throw namedBySymbol(value);
  }

  private array(value: readonly unknown[]): void {
    const isOrdinary = this.isOrdinaryArray(value);
    if (!isOrdinary && this.ports.types.isProxy(value)) throw proxied(value);
    this.remember(value);
    if (this.isLater(T.LATER_ARRAY, value, undefined)) return;
    this.elements(value, isOrdinary);
  }

  /** Whether the engine says that it has nothing but elements. */
  private isOrdinaryArray(value: readonly unknown[]): boolean {
    const { sameShape } = this;
    for (let i = 0; i < ORDINARY_ARRAYS.length; i++)
      if (sameShape(value, ORDINARY_ARRAYS[i] as readonly unknown[])) return true;
    return false;
  }

  /** With a tag that says what stands between the elements, and whether there is more than these. */
  private elements(value: readonly unknown[], isOrdinary: boolean): void {
    const { length } = value;
    if (length > LONG && isSparse(value)) return this.sparse(value);
    const tag = this.at - this.start;
    this.tagged(T.ARRAY, length);
    this.depth++;
    let own = length;
    for (let i = 0; i < length; i++) {
      const element = value[i];
      if (element !== undefined || i in value) this.value(element);
      else {
        this.byte(T.HOLE);
        own--;
      }
    }
    this.depth--;
    if (isOrdinary) return;
    // `length`, and perhaps more than elements: what `match` answers has an index.
    if (length < 64 ? ownKeys(value).length <= own + 1 : !hasOwn(value, 'index')) return;
    this.bytes[this.start + tag] = T.ODD_ARRAY;
    this.ownProperties(value, isElement);
  }

  private sparse(value: readonly unknown[]): void {
    const places = keysOf(value).filter(isElement);
    this.tagged(T.SPARSE, value.length);
    this.integer(places.length);
    this.depth++;
    for (const place of places) {
      this.integer(Number(place));
      this.value(value[Number(place)]);
    }
    this.depth--;
  }

  /** Those that are not there without being written. */
  private ownProperties(value: object, isThere: (key: string) => boolean): void {
    const keys: string[] = [];
    for (const key of ownKeys(value)) {
      if (typeof key === 'symbol') throw namedBySymbol(value);
      if (!isThere(key)) keys.push(key);
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
    const { types } = this.ports;
    if (prototype !== null && this.reference(value)) return;
    if (types.isProxy(value)) throw proxied(value);
    if (prototype === null) return this.plain(value, { __proto__: null, ...value } as unknown as Plain, true);
    if (types.isNativeError(value)) return this.error(value, prototype as object);
    if (!this.builtin(value, prototype as object)) throw instanceRefused(value, prototype as object);
  }

  private builtin(value: object, prototype: object): boolean {
    const { types } = this.ports;
    if (types.isDate(value) && prototype === Date.prototype) {
      this.remember(value);
      this.room(9);
      this.bytes[this.at++] = T.DATE;
      this.view.setFloat64(this.at, apply(getTime, value, []), true);
      this.at += 8;
    } else if (types.isMap(value) && prototype === Map.prototype) {
      this.remember(value);
      if (!this.isLater(T.LATER_MAP, value, undefined)) this.entries(value);
    } else if (types.isSet(value) && prototype === Set.prototype) {
      this.remember(value);
      if (!this.isLater(T.LATER_SET, value, undefined)) this.members(value);
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
    if (value.detached) throw transferred(value);
    this.remember(value);
    const { byteLength, resizable, maxByteLength } = value;
    if (byteLength >= this.large) {
      this.tagged(T.ENCLOSED, this.buffers.length);
      this.buffers.push(resizable ? structuredClone(value) : value.slice(0));
      return;
    }
    this.tagged(resizable ? T.RESIZABLE : T.BUFFER, byteLength);
    if (resizable) this.integer(maxByteLength);
    this.blob(new Uint8Array(value));
  }

  /** A view of a copy of its buffer. What lies in a pool of Node's comes alone. */
  private viewOn(value: ArrayBufferView, prototype: object): void {
    const { buffer, byteOffset, byteLength } = value;
    if (!this.ports.types.isArrayBuffer(buffer)) throw sharedMemory(value);
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
    if (bytes.length < this.large) {
      this.tagged(T.NODE_BUFFER, bytes.length);
      return this.blob(bytes);
    }
    this.tagged(T.ENCLOSED_NODE_BUFFER, this.buffers.length);
    this.buffers.push(bytes.slice().buffer as ArrayBuffer);
  }

  private error(value: Error, prototype: object): void {
    if (this.depth > T.DEEPEST)
      throw new Refused(value, `it has more than ${T.DEEPEST} causes, one of another`, 'pass fewer of them');
    this.remember(value);
    let number = -1;
    let name = '';
    for (
      let each: object | null = prototype;
      each !== null && number < 0;
      each = getPrototypeOf(each) as object | null
    ) {
      number = T.ERRORS.indexOf(each);
      if (number < 0 && name === '') name = this.ports.errorClassName(each) ?? '';
    }
    this.tagged(T.ERROR, Math.max(number, 0));
    this.text(name);
    if (number === T.DOM_EXCEPTION) {
      // It keeps them to itself.
      this.text(value.message);
      this.text(value.name);
    }
    this.value(value.stack);
    this.ownProperties(value, isStack);
  }
}

/** Looks at a few places first: a list of all of them costs. */
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
