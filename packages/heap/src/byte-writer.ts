// Growing bytes, and the encoding of numbers and strings by value, independent of V8's representation. A full part is
// put aside with its checksum and never changes again, so growing copies nothing, and a consumer can take full parts
// during the capture. Hot path: guarded by bench/heap.

import { Checksum } from './checksum.ts';
import { charCodeAt, copyInto, is, SafeMap, setDouble } from './intrinsics.ts';
import {
  BIGINT,
  DOUBLE,
  HEADER_LENGTH,
  INTEGER,
  LONG_STRING_LENGTH,
  NARROW_STRING,
  SHORT_STRING,
  SHORT_STRING_LIMIT,
  SMALL_INTEGER,
  STRING_REFERENCE,
  WIDE_STRING,
} from './tags.ts';

const { toString } = BigInt.prototype;
const bigintToString = Function.prototype.call.bind(toString) as (value: bigint, radix: number) => string;

/** Maximum size of a part, unless a single item is larger. */
const MAX_PART_BYTES = 1 << 20;

/** Receives the bytes that will not change any more, part by part in order, during the capture. */
export type BytesConsumer = (bytes: Uint8Array<ArrayBuffer>) => void;

export class ByteWriter {
  /** The current part and the number of bytes in it. */
  bytes: Uint8Array<ArrayBuffer>;
  offset = 0;
  /** Full parts. Empty if a consumer takes them. */
  private fullParts: Uint8Array<ArrayBuffer>[] = [];
  private readonly onBytes: BytesConsumer | undefined;
  private bytesBefore = 0;
  private readonly checksum = new Checksum();
  private view: DataView;
  private capacity: number;
  /** Numbers of the long strings written since the last `forgetStrings`, and of those written before the first call. */
  private stringNumbers = new SafeMap<string, number>();
  private keptStringNumbers = this.stringNumbers;
  private stringCount = 0;

  constructor(capacity: number, onBytes?: BytesConsumer) {
    this.onBytes = onBytes;
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
    this.capacity = capacity;
  }

  reserve(count: number): void {
    if (this.offset + count > this.capacity) this.grow(count);
  }

  private grow(count: number): void {
    // The checksum takes multiples of eight bytes, so the rest moves to the next part.
    const carriedBytes = this.offset <= HEADER_LENGTH ? this.offset : this.offset & 7;
    const end = this.offset - carriedBytes;
    const capacity = Math.max(Math.min(this.capacity * 2, MAX_PART_BYTES), count + 16);
    const bytes = new Uint8Array(capacity);
    for (let i = 0; i < carriedBytes; i++) bytes[i] = this.bytes[end + i] as number;
    if (end > 0) {
      this.checksum.add(this.bytes, this.bytesBefore === 0 ? HEADER_LENGTH : 0, end);
      const part = new Uint8Array(this.bytes.buffer, 0, end);
      if (this.onBytes === undefined) this.fullParts[this.fullParts.length] = part;
      else this.onBytes(part);
    }
    this.bytesBefore += end;
    this.bytes = bytes;
    this.offset = carriedBytes;
    this.view = new DataView(bytes.buffer);
    this.capacity = capacity;
  }

  get size(): number {
    return this.bytesBefore + this.offset;
  }

  /** Appends the checksum, and returns all bytes that no consumer has taken. */
  protected close(): Uint8Array<ArrayBuffer> {
    this.reserve(4);
    this.checksum.add(this.bytes, this.bytesBefore === 0 ? HEADER_LENGTH : 0, this.offset);
    this.uint32(this.checksum.value);
    const { fullParts } = this;
    const lastPart = new Uint8Array(this.bytes.buffer, 0, this.offset);
    if (fullParts.length === 0) return lastPart;
    let length = this.offset;
    for (let i = 0; i < fullParts.length; i++) length += (fullParts[i] as Uint8Array).length;
    const whole = new Uint8Array(length);
    let offset = 0;
    for (let i = 0; i < fullParts.length; i++) {
      copyInto(whole, fullParts[i] as Uint8Array, offset);
      offset += (fullParts[i] as Uint8Array).length;
    }
    copyInto(whole, lastPart, offset);
    return whole;
  }

  /** Forgets all long strings except those written before the first call, so that later ones are written in full. */
  protected forgetStrings(): void {
    this.stringNumbers = new SafeMap<string, number>();
  }

  byte(value: number): void {
    if (this.offset === this.capacity) this.grow(1);
    this.bytes[this.offset++] = value;
  }

  /** Writes an unsigned integer below 2^53, seven bits per byte, lowest first. */
  varint(value: number): void {
    if (this.offset + 8 > this.capacity) this.grow(8);
    while (value > 0x7fffffff) {
      this.bytes[this.offset++] = (value % 128) | 0x80;
      value = Math.floor(value / 128);
    }
    while (value > 0x7f) {
      this.bytes[this.offset++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    this.bytes[this.offset++] = value;
  }

  tagged(tag: number, value: number): void {
    if (this.offset + 9 > this.capacity) this.grow(9);
    this.bytes[this.offset++] = tag;
    while (value > 0x7f && value <= 0x7fffffff) {
      this.bytes[this.offset++] = (value & 0x7f) | 0x80;
      value >>>= 7;
    }
    if (value > 0x7f) this.varint(value);
    else this.bytes[this.offset++] = value;
  }

  uint32(value: number): void {
    this.reserve(4);
    for (let i = 0; i < 4; i++) this.bytes[this.offset++] = (value >>> (8 * i)) & 0xff;
  }

  double(value: number): void {
    if (this.offset + 8 > this.capacity) this.grow(8);
    setDouble(this.view, this.offset, value, true);
    this.offset += 8;
  }

  number(value: number): void {
    if ((value | 0) === value && (value !== 0 || !is(value, -0))) {
      if (value >= 0 && value < 128) return this.byte(SMALL_INTEGER | value);
      return this.tagged(INTEGER, ((value << 1) ^ (value >> 31)) >>> 0);
    }
    if (this.offset + 9 > this.capacity) this.grow(9);
    this.bytes[this.offset++] = DOUBLE;
    setDouble(this.view, this.offset, value, true);
    this.offset += 8;
  }

  string(value: string): void {
    const { length } = value;
    if (length < SHORT_STRING_LIMIT) {
      if (this.offset + 1 + length > this.capacity) this.grow(1 + length);
      const { bytes } = this;
      let { offset } = this;
      bytes[offset++] = SHORT_STRING | length;
      for (let i = 0; i < length; i++) {
        const code = charCodeAt(value, i);
        if (code > 0xff) return this.wideString(value);
        bytes[offset++] = code;
      }
      this.offset = offset;
      return;
    }
    if (length > LONG_STRING_LENGTH) {
      const knownNumber =
        this.stringNumbers.get(value) ??
        (this.keptStringNumbers === this.stringNumbers ? undefined : this.keptStringNumbers.get(value));
      if (knownNumber !== undefined) return this.tagged(STRING_REFERENCE, knownNumber);
      this.stringNumbers.set(value, this.stringCount++);
    }
    this.reserve(length + 9);
    const start = this.offset;
    this.tagged(NARROW_STRING, length);
    const { bytes } = this;
    let { offset } = this;
    for (let i = 0; i < length; i++) {
      const code = charCodeAt(value, i);
      if (code > 0xff) {
        this.offset = start;
        return this.wideString(value);
      }
      bytes[offset++] = code;
    }
    this.offset = offset;
  }

  private wideString(value: string): void {
    const { length } = value;
    this.reserve(length * 2 + 9);
    this.tagged(WIDE_STRING, length);
    for (let i = 0; i < length; i++) {
      const code = charCodeAt(value, i);
      this.bytes[this.offset++] = code & 0xff;
      this.bytes[this.offset++] = code >> 8;
    }
  }

  /** Writes sign and magnitude, lowest byte first. */
  bigint(value: bigint): void {
    this.byte(BIGINT);
    const isNegative = value < 0n;
    const digits = bigintToString(isNegative ? -value : value, 16);
    const length = (digits.length + 1) >> 1;
    this.byte(isNegative ? 1 : 0);
    this.varint(length);
    this.reserve(length);
    for (let i = 0; i < length; i++) {
      const high = digits.length - 2 * i - 2;
      const highDigit = high < 0 ? 0 : hexDigit(charCodeAt(digits, high));
      this.bytes[this.offset++] = (highDigit << 4) | hexDigit(charCodeAt(digits, high + 1));
    }
  }

  blob(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    copyInto(this.bytes, bytes, this.offset);
    this.offset += bytes.length;
  }
}

function hexDigit(code: number): number {
  return code < 58 ? code - 48 : code - 87;
}
