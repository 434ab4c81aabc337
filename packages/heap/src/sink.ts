// Growing bytes, and how numbers and strings are written. Numbers are written by value and strings by content, so that bytes do
// not tell how V8 happened to hold them. What is full is put aside with its sum and never touched again: no growth copies what
// there is, and whoever wants to can carry it away meanwhile. Hot path: guarded by bench/heap.

import { Checksum } from './checksum.ts';
import { charCodeAt, copyInto, is, SafeMap, setDouble } from './intrinsics.ts';
import {
  BIGINT,
  DOUBLE,
  HEADER_LENGTH,
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

/** Parts are not made bigger than this, but by one thing that is. */
const PART = 1 << 20;

/** Takes bytes that will not change any more, in their order, while others are being written. */
export type GiveBytes = (bytes: Uint8Array<ArrayBuffer>) => void;

export class Sink {
  /** The part that is being filled, and how far it is. */
  bytes: Uint8Array<ArrayBuffer>;
  at = 0;
  /** Parts that are full and that nobody takes, and how many bytes there are before the one that is being filled. */
  private full: Uint8Array<ArrayBuffer>[] = [];
  private readonly give: GiveBytes | undefined;
  private before = 0;
  private readonly sum = new Checksum();
  private view: DataView;
  private room: number;
  /** Long strings that were written, and those that will be known for good. */
  private strings = new SafeMap<string, number>();
  private lasting = this.strings;
  private count = 0;

  constructor(capacity: number, give?: GiveBytes) {
    this.give = give;
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
    this.room = capacity;
  }

  reserve(count: number): void {
    if (this.at + count > this.room) this.grow(count);
  }

  private grow(count: number): void {
    // What does not fill eight bytes begins the next part, so that sums go on.
    const rest = this.at <= HEADER_LENGTH ? this.at : this.at & 7;
    const end = this.at - rest;
    const capacity = Math.max(Math.min(this.room * 2, PART), count + 16);
    const bytes = new Uint8Array(capacity);
    for (let i = 0; i < rest; i++) bytes[i] = this.bytes[end + i] as number;
    if (end > 0) {
      this.sum.add(this.bytes, this.before === 0 ? HEADER_LENGTH : 0, end);
      const part = new Uint8Array(this.bytes.buffer, 0, end);
      if (this.give === undefined) this.full[this.full.length] = part;
      else this.give(part);
    }
    this.before += end;
    this.bytes = bytes;
    this.at = rest;
    this.view = new DataView(bytes.buffer);
    this.room = capacity;
  }

  get size(): number {
    return this.before + this.at;
  }

  /** The checksum of all so far, at the end; then all that has not been given away. */
  protected close(): Uint8Array<ArrayBuffer> {
    this.reserve(4);
    this.sum.add(this.bytes, this.before === 0 ? HEADER_LENGTH : 0, this.at);
    this.uint32(this.sum.value);
    const { full } = this;
    const rest = new Uint8Array(this.bytes.buffer, 0, this.at);
    if (full.length === 0) return rest;
    let length = this.at;
    for (let i = 0; i < full.length; i++) length += (full[i] as Uint8Array).length;
    const all = new Uint8Array(length);
    let at = 0;
    for (let i = 0; i < full.length; i++) {
      copyInto(all, full[i] as Uint8Array, at);
      at += (full[i] as Uint8Array).length;
    }
    copyInto(all, rest, at);
    return all;
  }

  /** Those from the first time on that it is called are written again. */
  protected forgetStrings(): void {
    this.strings = new SafeMap<string, number>();
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

  uint32(value: number): void {
    this.reserve(4);
    for (let i = 0; i < 4; i++) this.bytes[this.at++] = (value >>> (8 * i)) & 0xff;
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
      const before = this.strings.get(text) ?? (this.lasting === this.strings ? undefined : this.lasting.get(text));
      if (before !== undefined) return this.tagged(STRING_AGAIN, before);
      this.strings.set(text, this.count++);
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
