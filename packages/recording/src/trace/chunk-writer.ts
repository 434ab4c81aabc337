// Writes the bytes of events into memory shared with the writer thread. An event is never split: one that does not fit
// moves to the next chunk with the bytes it already has, so that chunks and commits hold whole events. Hot path
// (`npm run bench:trace`).

import { MAX_EVENT_BYTES, MAX_KNOWN_TEXT_LENGTH, MAX_KNOWN_TEXTS } from './trace-format.ts';

/** Source of the memory that a `ChunkWriter` fills. */
export interface ChunkProvider {
  /** Returns a chunk of at least `minLength` bytes; the previous one ends at `length`. Undefined if there is none. */
  nextChunk(length: number, minLength: number): Uint8Array | undefined;
  /** Stops keeping events from `length` on. */
  stop(length: number, reason: string): void;
}

/** Upper bound of the fixed part of an event: a byte and five numbers. */
const EVENT_HEAD_BYTES = 64;
/** Size of the buffer that swallows events while none can be kept. */
const SCRATCH_BYTES = 1 << 12;
/** Maximum length of a text that is written unit by unit, up to which this is as fast as a call into Node. */
const MAX_INLINE_UNITS = 24;

type WriteText = (buffer: Buffer, text: string, offset: number) => number;
// Node's own functions, read before the program can patch them.
const { latin1Write, ucs2Write } = Buffer.prototype as unknown as Record<'latin1Write' | 'ucs2Write', () => number>;
const writeLatin1 = Function.prototype.call.bind(latin1Write) as WriteText;
const writeUtf16 = Function.prototype.call.bind(ucs2Write) as WriteText;

export class ChunkWriter {
  readonly #provider: ChunkProvider;
  #bytes: Uint8Array;
  #view: DataView;
  /** View of the same bytes as `#bytes`. */
  #buffer: Buffer;
  #offset = 0;
  /** Offset at which the current event begins. */
  #eventStart = 0;
  #isStopped = false;
  /** Numbers of the texts that this segment already contains. */
  readonly #textNumbers = new Map<string, number>();

  constructor(provider: ChunkProvider, bytes: Uint8Array | undefined) {
    this.#provider = provider;
    this.#bytes = bytes ?? new Uint8Array(new SharedArrayBuffer(SCRATCH_BYTES));
    this.#view = viewOver(this.#bytes);
    this.#buffer = bufferOver(this.#bytes);
    this.#isStopped = bytes === undefined;
  }

  /** Number of bytes of the chunk that are whole events. Valid only between two events. */
  get wholeEventBytes(): number {
    return this.#isStopped ? 0 : this.#offset;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Continues in another chunk, without any known texts. Drops events if there is no chunk. */
  restart(bytes: Uint8Array | undefined): void {
    this.#isStopped = bytes === undefined;
    this.#useChunk(bytes ?? new Uint8Array(new SharedArrayBuffer(SCRATCH_BYTES)));
    this.#textNumbers.clear();
  }

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

  /** Writes a non-negative integer. */
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

  /** Writes a signed integer of at most 52 bits, in the order 0, -1, 1, -2 … */
  zigzag(value: number): void {
    this.varint(value >= 0 ? 2 * value : -2 * value - 1);
  }

  double(value: number): void {
    this.#view.setFloat64(this.#offset, value, true);
    this.#offset += 8;
  }

  /** Makes room for `length` bytes and the fixed part of an event. Returns whether there is room. */
  reserve(length: number): boolean {
    if (this.#offset + length > this.#bytes.length) this.#continueInNextChunk(length);
    return !this.#isStopped;
  }

  /** Writes bytes for which `reserve` made room. */
  raw(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#offset);
    this.#offset += bytes.length;
  }

  /** Writes units below 0x100, one byte each, for which `reserve` made room. */
  latin1(text: string): void {
    const { length } = text;
    if (length > MAX_INLINE_UNITS) {
      writeLatin1(this.#buffer, text, this.#offset);
      this.#offset += length;
    } else for (let i = 0; i < length; i++) this.#bytes[this.#offset++] = text.charCodeAt(i);
  }

  /** Writes `firstByte` and the text as Latin-1 in reserved room. Returns false if a unit does not fit into a byte. */
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

  /** Writes any UTF-16 units, well-formed or not, for which `reserve` made room. */
  utf16(text: string): void {
    writeUtf16(this.#buffer, text, this.#offset);
    this.#offset += 2 * text.length;
  }

  /** Writes the number of a known text, or assigns one. Returns whether the caller must write the text itself. */
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
    // The extra room keeps a large event from being copied each time it grows.
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
