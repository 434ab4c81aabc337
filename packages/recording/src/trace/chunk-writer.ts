// Writes events into memory that another thread reads. An event is contiguous: one that does not fit continues in the
// next chunk, which gets a copy of its start. So committed data, and the end of a chunk, always consist of whole
// events. This is a hot path: `npm run bench:trace` measures it.

import { MAX_EVENT_BYTES, MAX_KNOWN_TEXT_LENGTH, MAX_KNOWN_TEXTS } from './trace-format.ts';

/** Provides chunks of memory. */
export interface ChunkProvider {
  /** The next chunk, with room for `minLength` bytes; the previous one ends at `length`. Undefined if there is none. */
  nextChunk(length: number, minLength: number): Uint8Array | undefined;
  /** Events are lost from now on. */
  stop(length: number, reason: string): void;
}

/** Room for the fixed part of any event: a byte and five numbers. */
const EVENT_HEAD_BYTES = 64;
/** Lost events are written into this buffer. */
const SCRATCH_BYTES = 1 << 12;
/** Up to this many units, a loop is as fast as Node's native function. */
const MAX_INLINE_UNITS = 24;

type WriteText = (buffer: Buffer, text: string, offset: number) => number;
/** Node's native functions, saved before any program runs. */
const { latin1Write, ucs2Write } = Buffer.prototype as unknown as Record<'latin1Write' | 'ucs2Write', () => number>;
const writeLatin1 = Function.prototype.call.bind(latin1Write) as WriteText;
const writeUtf16 = Function.prototype.call.bind(ucs2Write) as WriteText;

export class ChunkWriter {
  readonly #provider: ChunkProvider;
  #bytes: Uint8Array;
  #view: DataView;
  /** A view of the same bytes. */
  #buffer: Buffer;
  #offset = 0;
  /** The start of the current event. */
  #eventStart = 0;
  #isStopped = false;
  /** Numbers of known strings. */
  readonly #textNumbers = new Map<string, number>();

  constructor(provider: ChunkProvider, bytes: Uint8Array | undefined) {
    this.#provider = provider;
    this.#bytes = bytes ?? new Uint8Array(new SharedArrayBuffer(SCRATCH_BYTES));
    this.#view = viewOver(this.#bytes);
    this.#buffer = bufferOver(this.#bytes);
    this.#isStopped = bytes === undefined;
  }

  /** Bytes of whole events in the chunk; call it between events. */
  get wholeEventBytes(): number {
    return this.#isStopped ? 0 : this.#offset;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Continues in another chunk, with all state reset. */
  restart(bytes: Uint8Array | undefined): void {
    this.#isStopped = bytes === undefined;
    this.#useChunk(bytes ?? new Uint8Array(new SharedArrayBuffer(SCRATCH_BYTES)));
    this.#textNumbers.clear();
  }

  /** Starts an event. */
  beginEvent(): void {
    this.#eventStart = this.#offset;
    if (this.#offset + EVENT_HEAD_BYTES > this.#bytes.length) this.#continueInNextChunk(EVENT_HEAD_BYTES);
  }

  /** Drops the current event and all later ones. */
  stop(reason: string): void {
    if (this.#isStopped) return;
    this.#provider.stop(this.#eventStart, reason);
    this.restart(undefined);
  }

  byte(value: number): void {
    this.#bytes[this.#offset++] = value;
  }

  /** A non-negative integer. */
  varint(value: number): void {
    if (value >= 0 && value < 0x80) this.#bytes[this.#offset++] = value;
    else if (value >= 0x80 && value < 0x4000) {
      this.#bytes[this.#offset++] = (value & 0x7f) | 0x80;
      this.#bytes[this.#offset++] = value >> 7;
    } else this.#longVarint(value);
  }

  #longVarint(value: number): void {
    if (!(value >= 0 && Number.isSafeInteger(value)))
      return this.stop(`its events are out of order: a number of ${value} cannot follow the one before`);
    let remainder = value;
    while (remainder >= 0x80) {
      this.#bytes[this.#offset++] = (remainder % 0x80) | 0x80;
      remainder = Math.floor(remainder / 0x80);
    }
    this.#bytes[this.#offset++] = remainder;
  }

  /** An integer of at most 52 bits: 0, -1, 1, -2 … */
  zigzag(value: number): void {
    this.varint(value >= 0 ? 2 * value : -2 * value - 1);
  }

  double(value: number): void {
    this.#view.setFloat64(this.#offset, value, true);
    this.#offset += 8;
  }

  /** Makes room beyond the fixed part of an event; returns whether there is room. */
  reserve(length: number): boolean {
    if (this.#offset + length > this.#bytes.length) this.#continueInNextChunk(length);
    return !this.#isStopped;
  }

  /** Requires room. */
  raw(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#offset);
    this.#offset += bytes.length;
  }

  /** Units below 0x100, one byte each. Requires room. */
  latin1(text: string): void {
    const { length } = text;
    if (length > MAX_INLINE_UNITS) {
      writeLatin1(this.#buffer, text, this.#offset);
      this.#offset += length;
    } else for (let i = 0; i < length; i++) this.#bytes[this.#offset++] = text.charCodeAt(i);
  }

  /** The same after a byte, if all units are below 0x100; returns whether they are. Requires room. */
  shortLatin1(firstByte: number, text: string): boolean {
    const bytes = this.#bytes;
    let offset = this.#offset;
    bytes[offset++] = firstByte;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0xff) return false;
      bytes[offset++] = unit;
    }
    this.#offset = offset;
    return true;
  }

  /** Any UTF-16 units: the string need not be well-formed. Requires room. */
  utf16(text: string): void {
    writeUtf16(this.#buffer, text, this.#offset);
    this.#offset += 2 * text.length;
  }

  /** Writes a repeated string as its number; returns whether the string itself must be written. */
  textReference(text: string): boolean {
    const knownNumber = this.#textNumbers.get(text);
    if (knownNumber !== undefined) {
      this.varint(knownNumber + 2);
      return false;
    }
    const isKept = text.length <= MAX_KNOWN_TEXT_LENGTH && this.#textNumbers.size < MAX_KNOWN_TEXTS;
    if (isKept) this.#textNumbers.set(text, this.#textNumbers.size);
    this.varint(isKept ? 1 : 0);
    return true;
  }

  #continueInNextChunk(byteCount: number): void {
    if (this.#isStopped) {
      this.#offset = 0;
      return;
    }
    const length = this.#offset - this.#eventStart;
    if (length + byteCount > MAX_EVENT_BYTES)
      return this.stop(`a value has more than ${MAX_EVENT_BYTES} bytes, which is more than a trace keeps`);
    const eventBytes = this.#bytes.subarray(this.#eventStart, this.#offset);
    // Doubled, so that a growing event is not copied each time.
    const nextChunk = this.#provider.nextChunk(this.#eventStart, length + Math.max(byteCount, length));
    if (nextChunk === undefined) return this.restart(undefined);
    nextChunk.set(eventBytes);
    this.#useChunk(nextChunk);
    this.#offset = length;
  }

  #useChunk(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#view = viewOver(bytes);
    this.#buffer = bufferOver(bytes);
    this.#offset = 0;
    this.#eventStart = 0;
  }
}

function viewOver(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function bufferOver({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
