// Reads bytes in the format of `ChunkWriter`. Bytes that end within an event may be continued later; bytes that no
// `ChunkWriter` writes are an error.

import type { RecordingError } from '../recording-error.ts';
import { asBuffer } from '../snapshot-format.ts';
import { MAX_EVENT_BYTES, MAX_KNOWN_TEXT_LENGTH, MAX_KNOWN_TEXTS } from './trace-format.ts';

/** Thrown, and caught by the decoder, when the bytes end within an event. Not an error. */
export const NEED_MORE_BYTES = Symbol('more bytes are needed');

export class TraceByteReader {
  #bytes: Buffer = Buffer.alloc(0);
  #offset = 0;
  #eventStart = 0;
  /** Lower bound of the event's length in bytes, after a failed attempt to read it. */
  #neededBytes = 0;
  #fedBlocks: Uint8Array[] = [];
  #fedBytes = 0;
  readonly #knownTexts: string[] = [];
  #knownTextsAtStart = 0;
  readonly #createError: (expected: string) => RecordingError;

  constructor(createError: (expected: string) => RecordingError) {
    this.#createError = createError;
  }

  /** Appends bytes to those not yet read. */
  feed(bytes: Uint8Array): void {
    this.#fedBlocks.push(bytes);
    this.#fedBytes += bytes.length;
  }

  /** Begins to read an event. Returns false if more bytes are needed. @param isComplete whether no more bytes follow */
  beginEvent(isComplete: boolean): boolean {
    this.#eventStart = this.#offset;
    this.#knownTextsAtStart = this.#knownTexts.length;
    const bytesLeft = this.#bytes.length - this.#offset;
    if (bytesLeft > 0 && bytesLeft >= this.#neededBytes) return true;
    if (this.#fedBytes === 0 || (bytesLeft + this.#fedBytes < this.#neededBytes && !isComplete)) return false;
    const [first = this.#bytes] = this.#fedBlocks;
    const isSingleBlock = bytesLeft === 0 && this.#fedBlocks.length === 1;
    this.#bytes = isSingleBlock
      ? asBuffer(first)
      : Buffer.concat([this.#bytes.subarray(this.#offset), ...this.#fedBlocks]);
    this.#fedBlocks = [];
    this.#fedBytes = 0;
    this.#eventStart = this.#offset = 0;
    return true;
  }

  acceptEvent(): void {
    this.#neededBytes = 0;
  }

  /** Returns to the start of the current event, to read it again when more bytes are available. */
  retryEvent(): void {
    this.#offset = this.#eventStart;
    this.#knownTexts.length = this.#knownTextsAtStart;
    // Doubling avoids an attempt for each block of a large event.
    this.#neededBytes = Math.max(this.#neededBytes, 2 * (this.#bytes.length - this.#eventStart));
    if (this.#bytes.length - this.#eventStart > 2 * MAX_EVENT_BYTES)
      throw this.damagedError(`an event of at most ${MAX_EVENT_BYTES} bytes`);
  }

  /** Number of bytes after the last whole event. */
  get unreadBytes(): number {
    return this.#bytes.length - this.#offset + this.#fedBytes;
  }

  damagedError(expected: string): RecordingError {
    return this.#createError(expected);
  }

  byte(): number {
    const byte = this.#bytes[this.#offset];
    if (byte === undefined) throw NEED_MORE_BYTES;
    this.#offset++;
    return byte;
  }

  varint(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * unit;
      if (value > Number.MAX_SAFE_INTEGER) throw this.damagedError('a number below 2^53');
      if (byte < 0x80) {
        if (byte === 0 && unit > 1) throw this.damagedError('a number in its shortest form');
        return value;
      }
    }
  }

  zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  double(): number {
    return this.#take(8).readDoubleLE(0);
  }

  /** Reads a length in units of `unit` bytes. Throws if a value of this length does not fit into an event. */
  length(unit: number): number {
    const length = this.varint();
    if (length * unit > MAX_EVENT_BYTES) throw this.damagedError(`at most ${MAX_EVENT_BYTES} bytes`);
    return length;
  }

  raw(length: number): Uint8Array {
    return this.#take(length);
  }

  latin1(length: number): string {
    return this.#take(length).toString('latin1');
  }

  utf16(length: number): string {
    return this.#take(2 * length).toString('utf16le');
  }

  knownText(number: number): string {
    const text = this.#knownTexts[number];
    if (text === undefined) throw this.damagedError('the number of a text that came before');
    return text;
  }

  learnText(text: string): void {
    if (this.#knownTexts.length >= MAX_KNOWN_TEXTS || text.length > MAX_KNOWN_TEXT_LENGTH)
      throw this.damagedError(`at most ${MAX_KNOWN_TEXTS} texts of at most ${MAX_KNOWN_TEXT_LENGTH} units`);
    this.#knownTexts.push(text);
  }

  #take(length: number): Buffer {
    const end = this.#offset + length;
    if (end > this.#bytes.length) {
      this.#neededBytes = Math.max(this.#neededBytes, end - this.#eventStart);
      throw NEED_MORE_BYTES;
    }
    const bytes = this.#bytes.subarray(this.#offset, end);
    this.#offset = end;
    return bytes;
  }
}
