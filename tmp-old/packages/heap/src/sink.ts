// Growing bytes, and how numbers and strings are written. Numbers are written by value and strings by content, so that bytes do
// not tell how V8 happened to hold them. Hot path: guarded by bench/heap.

import { charCodeAt, copyInto, is, SafeMap, setDouble } from './intrinsics.ts';
import {
  BIGINT,
  DOUBLE,
  INTEGER,
  LONG_STRING,
  NARROW_STRING,
  SHORT_STRING,
  SHORT_STRING_LIMIT,
  SMALL_INTEGER,
  STRING_AGAIN,
  WIDE_STRING,
} from './tags.ts';

const { toString } = BigInt.prototype;
const call = Function.prototype.call.bind(toString) as (value: bigint, radix: number) => string;

export class Sink {
  bytes: Uint8Array<ArrayBuffer>;
  at = 0;
  private view: DataView;
  private room: number;
  private readonly strings = new SafeMap<string, number>();

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
    this.room = capacity;
  }

  reserve(count: number): void {
    if (this.at + count > this.room) this.grow(count);
  }

  private grow(count: number): void {
    const capacity = Math.max(this.room * 2, this.at + count);
    const bytes = new Uint8Array(capacity);
    copyInto(bytes, new Uint8Array(this.bytes.buffer, 0, this.at), 0);
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer);
    this.room = capacity;
  }

  byte(value: number): void {
    if (this.at === this.room) this.grow(1);
    this.bytes[this.at++] = value;
  }

  /** An unsigned integer below 2^53, seven bits a byte, lowest first. */
  varint(value: number): void {
    if (this.at + 8 > this.room) this.grow(8);
    while (value > 0x7fffffff) {
      this.bytes[this.at++] = (value % 128) | 0x80;
      value = Math.floor(value / 128);
    }
    while (value > 0x7f) {
      this.bytes[this.at++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    this.bytes[this.at++] = value;
  }

  /** A tag and a count. */
  tagged(tag: number, value: number): void {
    if (this.at + 9 > this.room) this.grow(9);
    this.bytes[this.at++] = tag;
    while (value > 0x7f && value <= 0x7fffffff) {
      this.bytes[this.at++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    if (value > 0x7f) this.varint(value);
    else this.bytes[this.at++] = value;
  }

  uint32At(offset: number, value: number): void {
    for (let i = 0; i < 4; i++) this.bytes[offset + i] = (value >>> (8 * i)) & 0xff;
  }

  double(value: number): void {
    if (this.at + 8 > this.room) this.grow(8);
    setDouble(this.view, this.at, value, true);
    this.at += 8;
  }

  number(value: number): void {
    if ((value | 0) === value && (value !== 0 || !is(value, -0))) {
      if (value >= 0 && value < 128) return this.byte(SMALL_INTEGER | value);
      return this.tagged(INTEGER, ((value << 1) ^ (value >> 31)) >>> 0);
    }
    if (this.at + 9 > this.room) this.grow(9);
    this.bytes[this.at++] = DOUBLE;
    setDouble(this.view, this.at, value, true);
    this.at += 8;
  }

  string(text: string): void {
    const { length } = text;
    if (length < SHORT_STRING_LIMIT) {
      if (this.at + 1 + length > this.room) this.grow(1 + length);
      const { bytes } = this;
      let { at } = this;
      bytes[at++] = SHORT_STRING | length;
      for (let i = 0; i < length; i++) {
        const code = charCodeAt(text, i);
        if (code > 0xff) return this.wide(text);
        bytes[at++] = code;
      }
      this.at = at;
      return;
    }
    if (length > LONG_STRING) {
      const before = this.strings.get(text);
      if (before !== undefined) return this.tagged(STRING_AGAIN, before);
      this.strings.set(text, this.strings.size);
    }
    this.reserve(length + 9);
    const start = this.at;
    this.tagged(NARROW_STRING, length);
    const { bytes } = this;
    let { at } = this;
    for (let i = 0; i < length; i++) {
      const code = charCodeAt(text, i);
      if (code > 0xff) {
        this.at = start;
        return this.wide(text);
      }
      bytes[at++] = code;
    }
    this.at = at;
  }

  private wide(text: string): void {
    const { length } = text;
    this.reserve(length * 2 + 9);
    this.tagged(WIDE_STRING, length);
    for (let i = 0; i < length; i++) {
      const code = charCodeAt(text, i);
      this.bytes[this.at++] = code & 0xff;
      this.bytes[this.at++] = code >> 8;
    }
  }

  /** Sign and magnitude, the magnitude's bytes lowest first. */
  bigint(value: bigint): void {
    this.byte(BIGINT);
    const negative = value < 0n;
    const digits = call(negative ? -value : value, 16);
    const length = (digits.length + 1) >> 1;
    this.byte(negative ? 1 : 0);
    this.varint(length);
    this.reserve(length);
    for (let i = 0; i < length; i++) {
      const high = digits.length - 2 * i - 2;
      const upper = high < 0 ? 0 : digitOf(charCodeAt(digits, high));
      this.bytes[this.at++] = (upper << 4) | digitOf(charCodeAt(digits, high + 1));
    }
  }

  blob(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    copyInto(this.bytes, bytes, this.at);
    this.at += bytes.length;
  }
}

function digitOf(code: number): number {
  return code < 58 ? code - 48 : code - 87;
}

/** A fast sum over 32-bit words: finds damage, not malice. Three words are in flight so that multiplications overlap. */
export function checksumOf(bytes: Uint8Array, from: number, to: number): number {
  let a = 0x9e3779b1 | 0;
  let b = 0x85ebca77 | 0;
  let i = from;
  for (; i + 8 <= to; i += 8) {
    const low =
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    const high =
      (bytes[i + 4] as number) |
      ((bytes[i + 5] as number) << 8) |
      ((bytes[i + 6] as number) << 16) |
      ((bytes[i + 7] as number) << 24);
    a = Math.imul(a ^ low, 0x01000193);
    b = Math.imul(b + high, 0xc2b2ae3d | 0) ^ (b >>> 15);
    a ^= a >>> 13;
  }
  for (; i < to; i++) a = Math.imul(a ^ (bytes[i] as number), 0x01000193);
  a ^= b;
  a = Math.imul(a ^ (a >>> 16), 0x7feb352d);
  a = Math.imul(a ^ (a >>> 15), 0x846ca68b | 0);
  return (a ^ (a >>> 16) ^ (to - from)) >>> 0;
}
