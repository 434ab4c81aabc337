// Bounds-checked bytes: every read checks that there is something left, every count that the bytes left could hold that many
// things, before anything is allocated. Hot path: guarded by bench/heap.

import { corruptState, HeapError } from './heap-error.ts';
import { apply, charCodeAt, fromCharCode, getDouble, join } from './intrinsics.ts';
import { LONG_STRING } from './tags.ts';

/** Slots of the cache by which equal short strings become one again. */
const CACHE = 1 << 12;

export class Source {
  readonly bytes: Uint8Array;
  at: number;
  end: number;
  private readonly view: DataView;
  private readonly cache: string[] = [];
  private readonly strings: string[] = [];
  private readonly codes: number[] = [];
  /** Bytes of memory that reading may still take, roughly. */
  private memory: number;

  constructor(bytes: Uint8Array, from: number, to: number, memory: number) {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
    this.memory = memory;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let i = 0; i < CACHE; i++) this.cache[i] = '';
  }

  corrupt(expected: string, at = this.at): HeapError {
    return corruptState(expected, at);
  }

  /** Accounts for memory that is not proportional to the bytes read. */
  take(size: number): void {
    this.memory -= size;
    if (this.memory < 0) {
      throw new HeapError(
        'TT_STATE_TOO_LARGE',
        `reading stopped at byte ${this.at}: the state needs more memory than allowed; raise the \`memory\` option`,
        { offset: this.at },
      );
    }
  }

  byte(): number {
    if (this.at >= this.end) throw this.corrupt('another byte');
    return this.bytes[this.at++] as number;
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

  /** How many things follow, each of at least `size` bytes. */
  count(size: number, what: string): number {
    const at = this.at;
    const count = this.varint();
    this.reserve(count, size, what, at);
    return count;
  }

  /** What stood at `at` says that so many follow, each of at least `size` bytes. */
  reserve(count: number, size: number, what: string, at: number): void {
    if (count * size > this.end - this.at) throw this.corrupt(`a number of ${what} that fits into what is left`, at);
    this.take(count * 8);
  }

  /** A number below `limit`. */
  index(limit: number, what: string): number {
    const at = this.at;
    const index = this.varint();
    if (index >= limit) throw this.corrupt(`${what} below ${limit}`, at);
    return index;
  }

  integer(): number {
    const at = this.at;
    const value = this.varint();
    if (value > 0xffffffff) throw this.corrupt('a 32-bit integer', at);
    return (value >>> 1) ^ -(value & 1);
  }

  double(): number {
    if (this.at + 8 > this.end) throw this.corrupt('eight bytes of a number');
    const value = getDouble(this.view, this.at, true);
    this.at += 8;
    return value;
  }

  short(length: number): string {
    const { bytes } = this;
    const start = this.at;
    if (start + length > this.end) throw this.corrupt(`${length} characters`);
    let hash = length;
    for (let i = start; i < start + length; i++) hash = Math.imul(hash, 31) + (bytes[i] as number);
    this.at = start + length;
    const slot = (hash ^ (hash >>> 12)) & (CACHE - 1);
    const cached = this.cache[slot] as string;
    if (cached.length === length) {
      let i = 0;
      while (i < length && charCodeAt(cached, i) === bytes[start + i]) i++;
      if (i === length) return cached;
    }
    const text = this.characters(start, length, 1);
    this.cache[slot] = text;
    return text;
  }

  narrow(): string {
    const length = this.count(1, 'characters');
    const start = this.at;
    this.at += length;
    return this.remember(this.characters(start, length, 1));
  }

  wide(): string {
    const length = this.count(2, 'characters');
    const start = this.at;
    this.at += length * 2;
    return this.remember(this.characters(start, length, 2));
  }

  private remember(text: string): string {
    if (text.length > LONG_STRING) this.strings[this.strings.length] = text;
    return text;
  }

  earlierString(): string {
    return this.strings[this.index(this.strings.length, 'the number of a string')] as string;
  }

  private characters(start: number, length: number, size: 1 | 2): string {
    const { bytes, codes } = this;
    const parts: string[] = [];
    for (let i = 0; i < length;) {
      const to = Math.min(length, i + 512);
      codes.length = 0;
      for (let n = 0; i < to; i++, n++) {
        const at = start + i * size;
        codes[n] = size === 1 ? (bytes[at] as number) : (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
      }
      parts[parts.length] = apply(fromCharCode, undefined, codes);
    }
    // Joined, not added: a string made by addition keeps its parts alive until somebody looks into it.
    return parts.length === 1 ? (parts[0] as string) : join(parts, '');
  }

  bigint(): bigint {
    const sign = this.byte();
    if (sign > 1) throw this.corrupt('the sign of a bigint', this.at - 1);
    const length = this.count(1, 'bytes of a bigint');
    let digits = '0';
    if (length > 0) {
      digits = '0x';
      for (let i = length - 1; i >= 0; i--) digits += HEX[this.bytes[this.at + i] as number] as string;
    }
    this.at += length;
    if (length > 1 << 24) throw this.corrupt('a bigint of at most 2^27 bits');
    const value = BigInt(digits);
    return sign === 1 ? -value : value;
  }

  /** The next bytes, not copied. */
  span(length: number): Uint8Array {
    if (length > this.end - this.at) throw this.corrupt(`${length} bytes`);
    const bytes = new Uint8Array(this.bytes.buffer, this.bytes.byteOffset + this.at, length);
    this.at += length;
    return bytes;
  }
}

const HEX: string[] = [];
for (let i = 0; i < 256; i++) HEX[i] = (i < 16 ? '0' : '') + i.toString(16);
