// Encoding of plain data in outcomes and entries. The first byte is the type; small integers and short texts are in
// that byte. A text is Latin-1 if possible, otherwise UTF-16, so that every JavaScript string survives.

import type { TraceValue } from './trace-events.ts';
import type { TraceByteReader } from './trace-byte-reader.ts';
import type { ChunkWriter } from './chunk-writer.ts';
import { MAX_VALUE_DEPTH, MAX_VALUE_ITEMS } from './trace-format.ts';

/** A first byte below this limit is itself the value: a small integer. */
const SMALL_LIMIT = 0x80;
/** First tag of texts whose length is in the tag. */
const SHORT_TEXT = 0x80;
const SHORT_TEXT_LIMIT = 64;

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

/** Maximum size of a tag and a length. */
const MAX_HEAD_BYTES = 16;
const LATIN1 = /^[\0-\xff]*$/;
const { byteLength } = Buffer;

/** Number of items that the value being written may still have. One variable suffices: values are written in turn. */
let membersLeft = 0;

export function writeValue(writer: ChunkWriter, value: TraceValue): void {
  membersLeft = MAX_VALUE_ITEMS;
  writeItem(writer, value, 0);
}

function writeItem(writer: ChunkWriter, value: TraceValue, depth: number): void {
  if (!writer.reserve(MAX_HEAD_BYTES)) return;
  switch (typeof value) {
    case 'undefined':
      return writer.byte(TAG.undefined);
    case 'boolean':
      return writer.byte(value ? TAG.true : TAG.false);
    case 'number':
      return writeNumber(writer, value);
    case 'string':
      return writeText(writer, value);
    case 'bigint':
      return writeBigint(writer, value);
    case 'object':
      if (value === null) return writer.byte(TAG.null);
      if (Array.isArray(value) || !(value instanceof Uint8Array)) return writeContainer(writer, value, depth);
      return writeBytes(writer, TAG.bytes, value);
    default:
      return writer.stop(`a value is a ${typeof value}, which is not plain data`);
  }
}

function writeNumber(writer: ChunkWriter, value: number): void {
  if (value < SMALL_LIMIT && value >= 0 && Math.trunc(value) === value && !Object.is(value, -0)) writer.byte(value);
  else if (!Number.isSafeInteger(value) || Object.is(value, -0)) {
    writer.byte(TAG.double);
    writer.double(value);
  } else if (value >= 0) {
    writer.byte(TAG.positive);
    writer.varint(value);
  } else {
    writer.byte(TAG.negative);
    writer.varint(-1 - value);
  }
}

function writeText(writer: ChunkWriter, text: string): void {
  const isShort = text.length < SHORT_TEXT_LIMIT;
  if (isShort && writer.reserve(MAX_HEAD_BYTES + text.length) && writer.shortLatin1(SHORT_TEXT + text.length, text))
    return;
  // Node counts bytes twice as fast as the expression tests, and equal counts mean ASCII.
  const isLatin1 = !isShort && (byteLength(text) === text.length || LATIN1.test(text));
  if (!writer.reserve(MAX_HEAD_BYTES + (isLatin1 ? 1 : 2) * text.length)) return;
  writer.byte(isLatin1 ? TAG.latin1 : TAG.utf16);
  writer.varint(text.length);
  if (isLatin1) writer.latin1(text);
  else writer.utf16(text);
}

function writeBytes(writer: ChunkWriter, tag: number, bytes: Uint8Array): void {
  if (!writer.reserve(MAX_HEAD_BYTES + bytes.length)) return;
  writer.byte(tag);
  writer.varint(bytes.length);
  writer.raw(bytes);
}

function writeBigint(writer: ChunkWriter, value: bigint): void {
  const hex = (value < 0n ? -1n - value : value).toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  writeBytes(writer, value < 0n ? TAG.negativeBig : TAG.positiveBig, bytes);
}

function writeContainer(writer: ChunkWriter, value: object, depth: number): void {
  const isList = Array.isArray(value);
  const prototype: unknown = isList ? undefined : Object.getPrototypeOf(value);
  if (!isList && prototype !== null && Object.getPrototypeOf(prototype) !== null)
    return writer.stop(`a value contains an instance of ${classNameOf(prototype)}, which is not plain data`);
  const keys = isList ? undefined : Object.keys(value);
  const count = keys === undefined ? (value as readonly TraceValue[]).length : keys.length;
  membersLeft -= count;
  if (depth >= MAX_VALUE_DEPTH) return writer.stop(`a value is nested more than ${MAX_VALUE_DEPTH} deep`);
  if (membersLeft < 0) return writer.stop(`a value has more than ${MAX_VALUE_ITEMS} members`);
  writer.byte(isList ? TAG.list : TAG.object);
  writer.varint(count);
  if (keys === undefined)
    for (let i = 0; i < count && !writer.isStopped; i++) {
      writeItem(writer, (value as readonly TraceValue[])[i], depth + 1);
    }
  else
    for (const key of keys) {
      writeKnownText(writer, key);
      writeItem(writer, (value as { readonly [key: string]: TraceValue })[key], depth + 1);
      if (writer.isStopped) return;
    }
}

function classNameOf(prototype: unknown): string {
  const maker = (prototype as { readonly constructor?: unknown } | null)?.constructor;
  return typeof maker === 'function' ? maker.name : 'without a name';
}

/** Writes a text that is likely to recur. */
export function writeKnownText(writer: ChunkWriter, text: string): void {
  if (writer.reserve(MAX_HEAD_BYTES) && writer.textReference(text)) writeText(writer, text);
}

interface ItemBudget {
  remaining: number;
}

export function readValue(reader: TraceByteReader): TraceValue {
  return readItem(reader, 0, { remaining: MAX_VALUE_ITEMS });
}

function readItem(reader: TraceByteReader, depth: number, items: ItemBudget): TraceValue {
  const tag = reader.byte();
  if (tag < SMALL_LIMIT) return tag;
  if (tag < SHORT_TEXT + SHORT_TEXT_LIMIT) return reader.latin1(tag - SHORT_TEXT);
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
      return reader.varint();
    case TAG.negative:
      return -1 - reader.varint();
    case TAG.double:
      return reader.double();
    case TAG.positiveBig:
      return readBigint(reader);
    case TAG.negativeBig:
      return -1n - readBigint(reader);
    case TAG.latin1:
      return reader.latin1(reader.length(1));
    case TAG.utf16:
      return reader.utf16(reader.length(2));
    case TAG.bytes:
      return new Uint8Array(reader.raw(reader.length(1)));
    case TAG.list:
    case TAG.object:
      return readContainer(reader, tag === TAG.list, depth, items);
    default:
      throw reader.damagedError('a value');
  }
}

function readBigint(reader: TraceByteReader): bigint {
  const bytes = reader.raw(reader.length(1));
  return bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
}

function readContainer(reader: TraceByteReader, isList: boolean, depth: number, items: ItemBudget): TraceValue {
  const count = reader.varint();
  items.remaining -= count;
  if (depth >= MAX_VALUE_DEPTH) throw reader.damagedError(`a value nested at most ${MAX_VALUE_DEPTH} deep`);
  if (items.remaining < 0) throw reader.damagedError(`a value of at most ${MAX_VALUE_ITEMS} members`);
  if (isList) {
    const list: TraceValue[] = [];
    for (let i = 0; i < count; i++) list[i] = readItem(reader, depth + 1, items);
    return list;
  }
  const object: { [key: string]: TraceValue } = {};
  for (let i = 0; i < count; i++) {
    const key = readKnownText(reader);
    const value = readItem(reader, depth + 1, items);
    // Assigning to `__proto__` would set the prototype.
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  }
  return object;
}

export function readKnownText(reader: TraceByteReader): string {
  const number = reader.varint();
  if (number >= 2) return reader.knownText(number - 2);
  const text = readItem(reader, 0, { remaining: 0 });
  if (typeof text !== 'string') throw reader.damagedError('a text');
  if (number === 1) reader.learnText(text);
  return text;
}
