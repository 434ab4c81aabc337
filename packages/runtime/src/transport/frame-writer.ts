// Writes a frame (numbers, strings and bytes) into given memory, usually a ring. Where that memory ends, moves the
// frame to the writer's own memory. Hot path: guarded by bench/transport.

import { FRAME_PREFIX_BYTES, type TextBuffer } from './ring.ts';
import * as T from './tags.ts';

const { is } = Object;
const { apply } = Reflect;
const { toString: bigintToString } = BigInt.prototype;
/** Finds a character that needs two bytes. Fails at once for a string that V8 stores with one byte per character. */
const beyondBytes = /[^\0-\xff]/;
const MAX_SHORT_STRING = 20;
/** Maximum size of memory that is kept for further frames. */
const MAX_KEPT_BYTES = 2 ** 20;
const MIN_WIDE_INTEGER = 2 ** 31;

/** Writes an integer, seven bits per byte, lowest first. Returns the next position. Eight bytes must be free. */
export function varintAt(bytes: TextBuffer, at: number, value: number): number {
  if (value < 0x80) {
    bytes[at] = value;
    return at + 1;
  }
  if (value < 0x4000) {
    bytes[at] = value | 0x80;
    bytes[at + 1] = value >>> 7;
    return at + 2;
  }
  return longVarintAt(bytes, at, value);
}

function longVarintAt(bytes: TextBuffer, at: number, value: number): number {
  while (value >= MIN_WIDE_INTEGER) {
    bytes[at++] = (value % 128) | 0x80;
    value = Math.floor(value / 128);
  }
  while (value > 0x7f) {
    bytes[at++] = (value & 0x7f) | 0x80;
    value >>>= 7;
  }
  bytes[at++] = value;
  return at;
}

export class FrameWriter {
  bytes = Buffer.alloc(0) as unknown as TextBuffer;
  view: DataView = new DataView(new ArrayBuffer(0));
  start = 0;
  at = 0;
  private end = 0;
  isInOwnMemory = false;
  private ownBytes: TextBuffer | undefined = undefined;
  private ownView: DataView | undefined = undefined;

  begin(bytes: TextBuffer, view: DataView, at: number, end: number): void {
    if (bytes !== this.bytes) {
      this.bytes = bytes;
      this.view = view;
    }
    this.start = at;
    this.at = at + FRAME_PREFIX_BYTES;
    this.end = end;
    this.isInOwnMemory = false;
    if (this.at > end) this.move(0);
  }

  /** Moves the frame to the writer's own memory, and makes room for `count` more bytes. */
  move(count: number): void {
    const used = this.at - this.start;
    let { ownBytes, ownView } = this;
    if (ownBytes === undefined || ownView === undefined || this.isInOwnMemory || ownBytes.length < used + count) {
      ownBytes = Buffer.allocUnsafeSlow(Math.max(4096, 2 * (used + count))) as unknown as TextBuffer;
      ownView = new DataView(ownBytes.buffer, ownBytes.byteOffset, ownBytes.length);
      this.ownBytes = ownBytes;
      this.ownView = ownView;
    }
    this.bytes.copy(ownBytes, 0, this.start, this.at);
    this.bytes = ownBytes;
    this.view = ownView;
    this.start = 0;
    this.at = used;
    this.end = ownBytes.length;
    this.isInOwnMemory = true;
  }

  /** Drops memory that is too large to keep. Called after each frame. */
  protected releaseMemory(): void {
    if (this.ownBytes !== undefined && this.ownBytes.length > MAX_KEPT_BYTES) this.ownBytes = this.ownView = undefined;
  }

  room(count: number): void {
    if (this.at + count > this.end) this.move(count);
  }

  protected byte(value: number): void {
    if (this.at === this.end) this.move(1);
    this.bytes[this.at++] = value;
  }

  integer(value: number): void {
    if (this.at + 8 > this.end) this.move(8);
    this.at = varintAt(this.bytes, this.at, value);
  }

  protected tagged(tag: number, value: number): void {
    if (this.at + 9 > this.end) this.move(9);
    this.bytes[this.at] = tag;
    this.at = varintAt(this.bytes, this.at + 1, value);
  }

  number(value: number): void {
    if (this.at + 9 > this.end) this.move(9);
    const { at } = this;
    if ((value | 0) === value && (value !== 0 || !is(value, -0))) {
      if (value >= 0 && value < 128) {
        this.bytes[at] = T.SMALL | value;
        this.at = at + 1;
      } else {
        this.bytes[at] = T.INTEGER;
        this.view.setInt32(at + 1, value, true);
        this.at = at + 5;
      }
      return;
    }
    this.bytes[at] = T.DOUBLE;
    this.view.setFloat64(at + 1, value, true);
    this.at = at + 9;
  }

  text(text: string): void {
    const { length } = text;
    if (this.at + length + 9 > this.end) this.move(length + 9);
    if (length > MAX_SHORT_STRING) {
      if (beyondBytes.test(text)) return this.wide(text);
      if (length < T.SHORT_LIMIT) this.bytes[this.at++] = T.SHORT | length;
      else {
        this.bytes[this.at] = T.NARROW;
        this.at = varintAt(this.bytes, this.at + 1, length);
      }
      this.bytes.latin1Write(text, this.at, length);
      this.at += length;
      return;
    }
    const { bytes } = this;
    let { at } = this;
    bytes[at++] = T.SHORT | length;
    for (let i = 0; i < length; i++) {
      const code = text.charCodeAt(i);
      if (code > 0xff) return this.wide(text);
      bytes[at++] = code;
    }
    this.at = at;
  }

  /** Writes a string with two bytes per character. Surrogates may be unpaired. */
  protected wide(text: string): void {
    const { length } = text;
    this.room(2 * length + 9);
    this.tagged(T.WIDE, length);
    this.bytes.ucs2Write(text, this.at, 2 * length);
    this.at += 2 * length;
  }

  protected bigint(value: bigint): void {
    this.room(10);
    this.bytes[this.at++] = T.BIGINT;
    if (BigInt.asIntN(64, value) === value) {
      this.bytes[this.at++] = 0;
      this.view.setBigInt64(this.at, value, true);
      this.at += 8;
      return;
    }
    this.bytes[this.at++] = value < 0n ? 2 : 1;
    this.text(apply(bigintToString, value < 0n ? -value : value, [16]) as string);
  }

  protected blob(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.bytes.set(bytes, this.at);
    this.at += bytes.length;
  }
}
