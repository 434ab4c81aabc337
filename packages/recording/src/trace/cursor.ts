// Reads what a pen has written, from whatever bytes there are. Who reads knows of two ways in which there may be no more: the bytes end within
// an event, and more of them may come, or they are none that a pen writes.

import type { RecordingError } from '../recording-error.ts';
import { viewOf } from '../snapshot-format.ts';
import { EVENT_LIMIT, TEXT_LENGTH_LIMIT, TEXTS_LIMIT } from './trace-format.ts';

/** Thrown where the bytes end within an event: no error, and nobody's but the decoder's. */
export const SHORT = Symbol('more bytes are needed');

export class Cursor {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #start = 0;
  /** How many bytes from the start of the event on it has at least, if it has been tried. */
  #wanted = 0;
  #waiting: Uint8Array[] = [];
  #waitingLength = 0;
  readonly #texts: string[] = [];
  #knownTexts = 0;
  readonly #damaged: (expected: string) => RecordingError;

  constructor(damaged: (expected: string) => RecordingError) {
    this.#damaged = damaged;
  }

  /** More bytes, behind those before. */
  feed(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#waitingLength += bytes.length;
  }

  /** Whether an event may be there; `isAll` if no more bytes come. */
  begin(isAll: boolean): boolean {
    this.#start = this.#at;
    this.#knownTexts = this.#texts.length;
    const left = this.#bytes.length - this.#at;
    if (left > 0 && left >= this.#wanted) return true;
    if (this.#waitingLength === 0 || (left + this.#waitingLength < this.#wanted && !isAll)) return false;
    const [first = this.#bytes] = this.#waiting;
    const isOne = left === 0 && this.#waiting.length === 1;
    this.#bytes = isOne ? viewOf(first) : Buffer.concat([this.#bytes.subarray(this.#at), ...this.#waiting]);
    this.#waiting = [];
    this.#waitingLength = 0;
    this.#start = this.#at = 0;
    return true;
  }

  /** The event has been read. */
  accept(): void {
    this.#wanted = 0;
  }

  /** It has not: it is tried again when there is more. */
  retreat(): void {
    this.#at = this.#start;
    this.#texts.length = this.#knownTexts;
    // Not for each block of a large one.
    this.#wanted = Math.max(this.#wanted, 2 * (this.#bytes.length - this.#start));
    if (this.#bytes.length - this.#start > 2 * EVENT_LIMIT)
      throw this.expected(`an event of at most ${EVENT_LIMIT} bytes`);
  }

  /** Bytes of an event that is not whole. */
  get rest(): number {
    return this.#bytes.length - this.#at + this.#waitingLength;
  }

  expected(what: string): RecordingError {
    return this.#damaged(what);
  }

  byte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) throw SHORT;
    this.#at++;
    return byte;
  }

  varint(): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.byte();
      value += (byte & 0x7f) * unit;
      if (value > Number.MAX_SAFE_INTEGER) throw this.expected('a number below 2^53');
      if (byte < 0x80) {
        if (byte === 0 && unit > 1) throw this.expected('a number in its shortest form');
        return value;
      }
    }
  }

  zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  double(): number {
    return this.#need(8).readDoubleLE(0);
  }

  /** How many units of so many bytes follow. */
  length(unit: number): number {
    const length = this.varint();
    if (length * unit > EVENT_LIMIT) throw this.expected(`at most ${EVENT_LIMIT} bytes`);
    return length;
  }

  raw(length: number): Uint8Array {
    return this.#need(length);
  }

  latin1(length: number): string {
    return this.#need(length).toString('latin1');
  }

  utf16(length: number): string {
    return this.#need(2 * length).toString('utf16le');
  }

  known(number: number): string {
    const text = this.#texts[number];
    if (text === undefined) throw this.expected('the number of a text that came before');
    return text;
  }

  learn(text: string): void {
    if (this.#texts.length >= TEXTS_LIMIT || text.length > TEXT_LENGTH_LIMIT)
      throw this.expected(`at most ${TEXTS_LIMIT} texts of at most ${TEXT_LENGTH_LIMIT} units`);
    this.#texts.push(text);
  }

  #need(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) {
      this.#wanted = Math.max(this.#wanted, end - this.#start);
      throw SHORT;
    }
    const bytes = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }
}
