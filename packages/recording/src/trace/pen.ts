// Writes the bytes of events where other threads can read them. An event is in one piece of memory, whole: one that does not fit any more takes
// what it has so far along to the next piece. So whatever has been committed, and whatever a piece ends with, is whole events. Hot
// path: `npm run bench:trace` says what it costs.

import { EVENT_LIMIT, TEXT_LENGTH_LIMIT, TEXTS_LIMIT } from './trace-format.ts';

/** Where pieces of memory come from. */
export interface Supply {
  /** The next piece, with room for so many bytes; the one before ends at `length`. Nothing, if there is none to be had. */
  next(length: number, least: number): Uint8Array | undefined;
  /** What is written from now on cannot be kept. */
  stop(length: number, why: string): void;
}

/** The fixed part of any event fits: a byte and five numbers. */
const EVENT_ROOM = 64;
/** What is written where nothing can be kept goes round in here. */
const NOWHERE = 1 << 12;
/** Units that are written one by one as fast as Node is called for all of them. */
const FEW_UNITS = 24;

type WriteText = (buffer: Buffer, text: string, at: number) => number;
/** Node's own, of the time before any program. */
const { latin1Write, ucs2Write } = Buffer.prototype as unknown as Record<'latin1Write' | 'ucs2Write', () => number>;
const writeLatin1 = Function.prototype.call.bind(latin1Write) as WriteText;
const writeUtf16 = Function.prototype.call.bind(ucs2Write) as WriteText;

export class Pen {
  readonly #supply: Supply;
  #bytes: Uint8Array;
  #view: DataView;
  /** The same bytes. */
  #buffer: Buffer;
  #at = 0;
  /** Where the event begins. */
  #start = 0;
  #isStopped = false;
  /** Texts by their numbers. */
  readonly #texts = new Map<string, number>();

  constructor(supply: Supply, bytes: Uint8Array | undefined) {
    this.#supply = supply;
    this.#bytes = bytes ?? new Uint8Array(new SharedArrayBuffer(NOWHERE));
    this.#view = viewOver(this.#bytes);
    this.#buffer = bufferOver(this.#bytes);
    this.#isStopped = bytes === undefined;
  }

  /** How many bytes of the piece are whole events: to be asked between two. */
  get length(): number {
    return this.#isStopped ? 0 : this.#at;
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Goes on in another piece, knowing nothing of what came before. */
  restart(bytes: Uint8Array | undefined): void {
    this.#isStopped = bytes === undefined;
    this.#use(bytes ?? new Uint8Array(new SharedArrayBuffer(NOWHERE)));
    this.#texts.clear();
  }

  /** An event follows. */
  begin(): void {
    this.#start = this.#at;
    if (this.#at + EVENT_ROOM > this.#bytes.length) this.#turn(EVENT_ROOM);
  }

  /** Nothing of this event or behind it is kept. */
  stop(why: string): void {
    if (this.#isStopped) return;
    this.#supply.stop(this.#start, why);
    this.restart(undefined);
  }

  byte(value: number): void {
    this.#bytes[this.#at++] = value;
  }

  /** An integer that is not negative. */
  varint(value: number): void {
    if (value >= 0 && value < 0x80) this.#bytes[this.#at++] = value;
    else if (value >= 0x80 && value < 0x4000) {
      this.#bytes[this.#at++] = (value & 0x7f) | 0x80;
      this.#bytes[this.#at++] = value >> 7;
    } else this.#longVarint(value);
  }

  #longVarint(value: number): void {
    if (!(value >= 0 && Number.isSafeInteger(value)))
      return this.stop(`its events are out of order: a number of ${value} cannot follow the one before`);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#at++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#at++] = rest;
  }

  /** An integer of at most 52 bits, negative ones included: 0, -1, 1, -2 … */
  zigzag(value: number): void {
    this.varint(value >= 0 ? 2 * value : -2 * value - 1);
  }

  double(value: number): void {
    this.#view.setFloat64(this.#at, value, true);
    this.#at += 8;
  }

  /** Makes sure that more fits than the fixed part of an event; answers whether it does. */
  room(length: number): boolean {
    if (this.#at + length > this.#bytes.length) this.#turn(length);
    return !this.#isStopped;
  }

  /** There must be room. */
  raw(bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** Units below 0x100, a byte each. There must be room. */
  latin1(text: string): void {
    const { length } = text;
    if (length > FEW_UNITS) {
      writeLatin1(this.#buffer, text, this.#at);
      this.#at += length;
    } else for (let i = 0; i < length; i++) this.#bytes[this.#at++] = text.charCodeAt(i);
  }

  /** The same behind a byte, if there are no others: answers whether. There must be room. */
  briefly(first: number, text: string): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    bytes[at++] = first;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0xff) return false;
      bytes[at++] = unit;
    }
    this.#at = at;
    return true;
  }

  /** Units of UTF-16, whatever they are: a text need not be well-formed. There must be room. */
  utf16(text: string): void {
    writeUtf16(this.#buffer, text, this.#at);
    this.#at += 2 * text.length;
  }

  /** A text that comes again, by a number from its second time on. Answers whether it is to be written out here. */
  text(text: string): boolean {
    const known = this.#texts.get(text);
    if (known !== undefined) {
      this.varint(known + 2);
      return false;
    }
    const isKept = text.length <= TEXT_LENGTH_LIMIT && this.#texts.size < TEXTS_LIMIT;
    if (isKept) this.#texts.set(text, this.#texts.size);
    this.varint(isKept ? 1 : 0);
    return true;
  }

  #turn(more: number): void {
    if (this.#isStopped) {
      this.#at = 0;
      return;
    }
    const length = this.#at - this.#start;
    if (length + more > EVENT_LIMIT)
      return this.stop(`a value has more than ${EVENT_LIMIT} bytes, which is more than a trace keeps`);
    const begun = this.#bytes.subarray(this.#start, this.#at);
    // As much again, so that a large event is not copied each time that it grows.
    const next = this.#supply.next(this.#start, length + Math.max(more, length));
    if (next === undefined) return this.restart(undefined);
    next.set(begun);
    this.#use(next);
    this.#at = length;
  }

  #use(bytes: Uint8Array): void {
    this.#bytes = bytes;
    this.#view = viewOver(bytes);
    this.#buffer = bufferOver(bytes);
    this.#at = 0;
    this.#start = 0;
  }
}

function viewOver(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function bufferOver({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
