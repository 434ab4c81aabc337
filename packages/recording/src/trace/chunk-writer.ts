// Writes the bytes of events where other threads can read them. An event is in one piece of memory, whole: one that does not fit any more takes
// what it has so far along to the next piece. So whatever has been committed, and whatever a piece ends with, is whole events. Hot
// path: `npm run bench:trace` says what it costs.

import { MAX_EVENT_BYTES, MAX_KNOWN_TEXT_LENGTH, MAX_KNOWN_TEXTS } from './trace-format.ts';

/** Where pieces of memory come from. */
export interface ChunkProvider {
  /** The next piece, with room for so many bytes; the one before ends at `length`. Nothing, if there is none to be had. */
  nextChunk(length: number, minLength: number): Uint8Array | undefined;
  /** What is written from now on cannot be kept. */
  stop(length: number, reason: string): void;
}

/** The fixed part of any event fits: a byte and five numbers. */
const EVENT_HEAD_BYTES = 64;
/** What is written where nothing can be kept goes round in here. */
const SCRATCH_BYTES = 1 << 12;
/** Units that are written one by one as fast as Node is called for all of them. */
const MAX_INLINE_UNITS = 24;

type WriteText = (buffer: Buffer, text: string, offset: number) => number;
/** Node's own, of the time before any program. */
const { latin1Write, ucs2Write } = Buffer.prototype as unknown as Record<'latin1Write' | 'ucs2Write', () => number>;
const writeLatin1 = Function.prototype.call.bind(latin1Write) as WriteText;
const writeUtf16 = Function.prototype.call.bind(ucs2Write) as WriteText;

export class ChunkWriter {
  readonly #provider: ChunkProvider;
  #bytes: Uint8Array;
  #view: DataView;
  /** The same bytes. */
  #buffer: Buffer;
  #offset = 0;
  /** Where the event begins. */
  #eventStart = 0;
  #isStopped = false;
  /** Texts by their numbers. */
  readonly #textNumbers = new Map<string, number>();

  constructor(provider: ChunkProvider, bytes: Uint8Array | undefined) {
    this.#provider = provider;
    this.#bytes = bytes ?? new Uint8Array(new SharedArrayBuffer(SCRATCH_BYTES));
    this.#view = viewOver(this.#bytes);
    this.#buffer = bufferOver(this.#bytes);
    this.#isStopped = bytes === undefined;
  }

  /** How many bytes of the piece are whole events: to be asked between two. */
  get wholeEventBytes(): number {
    return this.#isStopped ? 0 : this.#offset;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Goes on in another piece, knowing nothing of what came before. */
  restart(bytes: Uint8Array | undefined): void {
    this.#isStopped = bytes === undefined;
    this.#useChunk(bytes ?? new Uint8Array(new SharedArrayBuffer(SCRATCH_BYTES)));
    this.#textNumbers.clear();
  }

  /** An event follows. */
  beginEvent(): void {
    this.#eventStart = this.#offset;
    if (this.#offset + EVENT_HEAD_BYTES > this.#bytes.length) this.#continueInNextChunk(EVENT_HEAD_BYTES);
  }

  /** Nothing of this event or behind it is kept. */
  stop(reason: string): void {
    if (this.#isStopped) return;
    this.#provider.stop(this.#eventStart, reason);
    this.restart(undefined);
  }

  byte(value: number): void {
    this.#bytes[this.#offset++] = value;
  }

  /** An integer that is not negative. */
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

  /** An integer of at most 52 bits, negative ones included: 0, -1, 1, -2 … */
  zigzag(value: number): void {
    this.varint(value >= 0 ? 2 * value : -2 * value - 1);
  }

  double(value: number): void {
    this.#view.setFloat64(this.#offset, value, true);
    this.#offset += 8;
  }

  /** Makes sure that more fits than the fixed part of an event; answers whether it does. */
  reserve(length: number): boolean {
    if (this.#offset + length > this.#bytes.length) this.#continueInNextChunk(length);
    return !this.#isStopped;
  }

  /** There must be room. */
  raw(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#offset);
    this.#offset += bytes.length;
  }

  /** Units below 0x100, a byte each. There must be room. */
  latin1(text: string): void {
    const { length } = text;
    if (length > MAX_INLINE_UNITS) {
      writeLatin1(this.#buffer, text, this.#offset);
      this.#offset += length;
    } else for (let i = 0; i < length; i++) this.#bytes[this.#offset++] = text.charCodeAt(i);
  }

  /** The same behind a byte, if there are no others: answers whether. There must be room. */
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

  /** Units of UTF-16, whatever they are: a text need not be well-formed. There must be room. */
  utf16(text: string): void {
    writeUtf16(this.#buffer, text, this.#offset);
    this.#offset += 2 * text.length;
  }

  /** A text that comes again, by a number from its second time on. Answers whether it is to be written out here. */
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
    // As much again, so that a large event is not copied each time that it grows.
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
