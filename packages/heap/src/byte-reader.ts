// Bounds-checked bytes: every read checks that bytes are left, and every count is checked against the remaining bytes
// before any allocation. Hot path: guarded by bench/heap.

import { corruptStateError, HeapError } from './heap-error.ts';
import { apply, charCodeAt, fromCharCode, getDouble, join } from './intrinsics.ts';
import { LONG_STRING_LENGTH } from './tags.ts';

/** Size of the cache that makes equal short strings identical. */
const CACHE_SLOTS = 1 << 12;

export class ByteReader {
  readonly bytes: Uint8Array;
  offset: number;
  end: number;
  private readonly view: DataView;
  private readonly shortStringCache: string[] = [];
  private readonly longStrings: string[] = [];
  private readonly charCodes: number[] = [];
  /** Approximate number of bytes that reading may still allocate. */
  private memoryLeft: number;

  constructor(bytes: Uint8Array, from: number, to: number, memory: number) {
    this.bytes = bytes;
    this.offset = from;
    this.end = to;
    this.memoryLeft = memory;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < CACHE_SLOTS; i++) this.shortStringCache[i] = '';
  }

  corrupt(expected: string, offset = this.offset): HeapError {
    return corruptStateError(expected, offset);
  }

  /** Accounts for memory that is not proportional to the bytes read. */
  takeMemory(size: number): void {
    this.memoryLeft -= size;
    if (this.memoryLeft < 0) {
      throw new HeapError(
        'TT_STATE_TOO_LARGE',
        `reading stopped at byte ${this.offset}: the state needs more memory than allowed; raise the \`memoryLimit\` option`,
        { offset: this.offset },
      );
    }
  }

  byte(): number {
    if (this.offset >= this.end) throw this.corrupt('another byte');
    return this.bytes[this.offset++] as number;
  }

  varint(): number {
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
    throw this.corrupt('an integer below 2^53');
  }

  /** Reads the number of items that follow, each of at least `size` bytes, which must fit into the remaining bytes. */
  count(size: number, itemName: string): number {
    const offset = this.offset;
    const count = this.varint();
    this.reserveItems(count, size, itemName, offset);
    return count;
  }

  /** Checks a count, read at `offset`, of items of at least `size` bytes, which must fit into the remaining bytes. */
  reserveItems(count: number, size: number, itemName: string, offset: number): void {
    if (count * size > this.end - this.offset)
      throw this.corrupt(`a number of ${itemName} that fits into the remaining bytes`, offset);
    this.takeMemory(count * 8);
  }

  /** Reads a number, which must be below `limit`. */
  index(limit: number, itemName: string): number {
    const offset = this.offset;
    const index = this.varint();
    if (index >= limit) throw this.corrupt(`${itemName} below ${limit}`, offset);
    return index;
  }

  integer(): number {
    const offset = this.offset;
    const value = this.varint();
    if (value > 0xffffffff) throw this.corrupt('a 32-bit integer', offset);
    return (value >>> 1) ^ -(value & 1);
  }

  double(): number {
    if (this.offset + 8 > this.end) throw this.corrupt('eight bytes of a number');
    const value = getDouble(this.view, this.offset, true);
    this.offset += 8;
    return value;
  }

  shortString(length: number): string {
    const { bytes } = this;
    const start = this.offset;
    if (start + length > this.end) throw this.corrupt(`${length} characters`);
    let hash = length;
    for (let i = start; i < start + length; i++) hash = Math.imul(hash, 31) + (bytes[i] as number);
    this.offset = start + length;
    const slot = (hash ^ (hash >>> 12)) & (CACHE_SLOTS - 1);
    const cached = this.shortStringCache[slot] as string;
    if (cached.length === length) {
      let i = 0;
      while (i < length && charCodeAt(cached, i) === bytes[start + i]) i++;
      if (i === length) return cached;
    }
    const text = this.decodeCharacters(start, length, 1);
    this.shortStringCache[slot] = text;
    return text;
  }

  narrowString(): string {
    const length = this.count(1, 'characters');
    const start = this.offset;
    this.offset += length;
    return this.rememberLongString(this.decodeCharacters(start, length, 1));
  }

  wideString(): string {
    const length = this.count(2, 'characters');
    const start = this.offset;
    this.offset += length * 2;
    return this.rememberLongString(this.decodeCharacters(start, length, 2));
  }

  private rememberLongString(text: string): string {
    if (text.length > LONG_STRING_LENGTH) this.longStrings[this.longStrings.length] = text;
    return text;
  }

  earlierString(): string {
    return this.longStrings[this.index(this.longStrings.length, 'the number of a string')] as string;
  }

  private decodeCharacters(start: number, length: number, size: 1 | 2): string {
    const { bytes, charCodes } = this;
    const parts: string[] = [];
    for (let i = 0; i < length;) {
      const to = Math.min(length, i + 512);
      charCodes.length = 0;
      for (let n = 0; i < to; i++, n++) {
        const offset = start + i * size;
        charCodes[n] =
          size === 1 ? (bytes[offset] as number) : (bytes[offset] as number) | ((bytes[offset + 1] as number) << 8);
      }
      parts[parts.length] = apply(fromCharCode, undefined, charCodes);
    }
    // Joined, because a string made with `+` keeps its parts alive until it is read.
    return parts.length === 1 ? (parts[0] as string) : join(parts, '');
  }

  bigint(): bigint {
    const sign = this.byte();
    if (sign > 1) throw this.corrupt('the sign of a bigint', this.offset - 1);
    const length = this.count(1, 'bytes of a bigint');
    let digits = '0';
    if (length > 0) {
      digits = '0x';
      for (let i = length - 1; i >= 0; i--) digits += HEX_BYTES[this.bytes[this.offset + i] as number] as string;
    }
    this.offset += length;
    if (length > 1 << 24) throw this.corrupt('a bigint of at most 2^27 bits');
    const value = BigInt(digits);
    return sign === 1 ? -value : value;
  }

  /** Returns a view of the next bytes. */
  span(length: number): Uint8Array {
    if (length > this.end - this.offset) throw this.corrupt(`${length} bytes`);
    const bytes = new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + this.offset, length);
    this.offset += length;
    return bytes;
  }
}

const HEX_BYTES: string[] = [];
for (let i = 0; i < 256; i++) HEX_BYTES[i] = (i < 16 ? '0' : '') + i.toString(16);
