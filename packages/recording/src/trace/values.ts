// Plain data as outcomes and entries carry it: one byte says what it is, and small integers and short texts are in that byte. Texts are in
// Latin-1 if they can be, else in UTF-16, so that any JavaScript string comes back as it was.

import type { TraceValue } from './events.ts';
import type { Cursor } from './cursor.ts';
import type { Pen } from './pen.ts';
import { DEPTH_LIMIT, ITEM_LIMIT } from './trace-format.ts';

/** 0 to 127 stand for themselves. */
const SMALL = 0x80;
/** From here on: a text of so many bytes. */
const SHORT = 0x80;
const SHORT_LIMIT = 64;

export const TAG = {
  undefined: 0xc0,
  null: 0xc1,
  false: 0xc2,
  true: 0xc3,
  positive: 0xc4,
  negative: 0xc5,
  double: 0xc6,
  positiveBig: 0xc7,
  negativeBig: 0xc8,
  latin1: 0xc9,
  utf16: 0xca,
  bytes: 0xcb,
  list: 0xcc,
  object: 0xcd,
} as const;

/** Tag and length. */
const HEAD = 16;
const LATIN1 = /^[\0-\xff]*$/;
const { byteLength } = Buffer;

/** Members that the value may still have: values are written one at a time. */
let membersLeft = 0;

export function writeValue(pen: Pen, value: TraceValue): void {
  membersLeft = ITEM_LIMIT;
  write(pen, value, 0);
}

function write(pen: Pen, value: TraceValue, depth: number): void {
  if (!pen.room(HEAD)) return;
  switch (typeof value) {
    case 'undefined':
      return pen.byte(TAG.undefined);
    case 'boolean':
      return pen.byte(value ? TAG.true : TAG.false);
    case 'number':
      return writeNumber(pen, value);
    case 'string':
      return writeText(pen, value);
    case 'bigint':
      return writeBig(pen, value);
    case 'object':
      if (value === null) return pen.byte(TAG.null);
      if (Array.isArray(value) || !(value instanceof Uint8Array)) return writeMany(pen, value, depth);
      return writeBytes(pen, TAG.bytes, value);
    default:
      return pen.stop(`a value is a ${typeof value}, which is not plain data`);
  }
}

function writeNumber(pen: Pen, value: number): void {
  if (value < SMALL && value >= 0 && Math.trunc(value) === value && !Object.is(value, -0)) pen.byte(value);
  else if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
    pen.byte(TAG.double);
    pen.double(value);
  } else if (value >= 0) {
    pen.byte(TAG.positive);
    pen.varint(value);
  } else {
    pen.byte(TAG.negative);
    pen.varint(-1 - value);
  }
}

function writeText(pen: Pen, text: string): void {
  const isShort = text.length < SHORT_LIMIT;
  if (isShort && pen.room(HEAD + text.length) && pen.briefly(SHORT + text.length, text)) return;
  // Node counts twice as fast as an expression is tested, and one byte a unit is nothing but ASCII.
  const isLatin1 = !isShort && (byteLength(text) === text.length || LATIN1.test(text));
  if (!pen.room(HEAD + (isLatin1 ? 1 : 2) * text.length)) return;
  pen.byte(isLatin1 ? TAG.latin1 : TAG.utf16);
  pen.varint(text.length);
  if (isLatin1) pen.latin1(text);
  else pen.utf16(text);
}

function writeBytes(pen: Pen, tag: number, bytes: Uint8Array): void {
  if (!pen.room(HEAD + bytes.length)) return;
  pen.byte(tag);
  pen.varint(bytes.length);
  pen.raw(bytes);
}

function writeBig(pen: Pen, value: bigint): void {
  const hex = (value < 0n ? -1n - value : value).toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  writeBytes(pen, value < 0n ? TAG.negativeBig : TAG.positiveBig, bytes);
}

function writeMany(pen: Pen, value: object, depth: number): void {
  const isList = Array.isArray(value);
  const prototype: unknown = isList ? undefined : Object.getPrototypeOf(value);
  if (!isList && prototype !== null && Object.getPrototypeOf(prototype) !== null)
    return pen.stop(`a value has an object of a class of its own, ${nameOf(prototype)}, which is not plain data`);
  const keys = isList ? undefined : Object.keys(value);
  const count = keys === undefined ? (value as readonly TraceValue[]).length : keys.length;
  membersLeft -= count;
  if (depth >= DEPTH_LIMIT) return pen.stop(`a value is nested more than ${DEPTH_LIMIT} deep`);
  if (membersLeft < 0) return pen.stop(`a value has more than ${ITEM_LIMIT} members`);
  pen.byte(isList ? TAG.list : TAG.object);
  pen.varint(count);
  if (keys === undefined)
    for (let i = 0; i < count && !pen.isStopped; i++) {
      write(pen, (value as readonly TraceValue[])[i], depth + 1);
    }
  else
    for (const key of keys) {
      writeRepeated(pen, key);
      write(pen, (value as { readonly [key: string]: TraceValue })[key], depth + 1);
      if (pen.isStopped) return;
    }
}

function nameOf(prototype: unknown): string {
  const made = (prototype as { readonly constructor?: unknown } | null)?.constructor;
  return typeof made === 'function' ? made.name : 'without a name';
}

/** A text that is likely to come again. */
export function writeRepeated(pen: Pen, text: string): void {
  if (pen.room(HEAD) && pen.text(text)) writeText(pen, text);
}

interface Items {
  left: number;
}

export function readValue(cursor: Cursor): TraceValue {
  return read(cursor, 0, { left: ITEM_LIMIT });
}

function read(cursor: Cursor, depth: number, items: Items): TraceValue {
  const tag = cursor.byte();
  if (tag < SMALL) return tag;
  if (tag < SHORT + SHORT_LIMIT) return cursor.latin1(tag - SHORT);
  switch (tag) {
    case TAG.undefined:
      return undefined;
    case TAG.null:
      return null;
    case TAG.false:
      return false;
    case TAG.true:
      return true;
    case TAG.positive:
      return cursor.varint();
    case TAG.negative:
      return -1 - cursor.varint();
    case TAG.double:
      return cursor.double();
    case TAG.positiveBig:
      return readBig(cursor);
    case TAG.negativeBig:
      return -1n - readBig(cursor);
    case TAG.latin1:
      return cursor.latin1(cursor.length(1));
    case TAG.utf16:
      return cursor.utf16(cursor.length(2));
    case TAG.bytes:
      return new Uint8Array(cursor.raw(cursor.length(1)));
    case TAG.list:
    case TAG.object:
      return readMany(cursor, tag === TAG.list, depth, items);
    default:
      throw cursor.expected('a value');
  }
}

function readBig(cursor: Cursor): bigint {
  const bytes = cursor.raw(cursor.length(1));
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function readMany(cursor: Cursor, isList: boolean, depth: number, items: Items): TraceValue {
  const count = cursor.varint();
  items.left -= count;
  if (depth >= DEPTH_LIMIT) throw cursor.expected(`a value nested at most ${DEPTH_LIMIT} deep`);
  if (items.left < 0) throw cursor.expected(`a value of at most ${ITEM_LIMIT} members`);
  if (isList) {
    const list: TraceValue[] = [];
    for (let i = 0; i < count; i++) list[i] = read(cursor, depth + 1, items);
    return list;
  }
  const object: { [key: string]: TraceValue } = {};
  for (let i = 0; i < count; i++) {
    const key = readRepeated(cursor);
    const value = read(cursor, depth + 1, items);
    // An assignment to `__proto__` would be something else.
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return object;
}

export function readRepeated(cursor: Cursor): string {
  const number = cursor.varint();
  if (number >= 2) return cursor.known(number - 2);
  const text = read(cursor, 0, { left: 0 });
  if (typeof text !== 'string') throw cursor.expected('a text');
  if (number === 1) cursor.learn(text);
  return text;
}
