// A snapshot as it is being written: chunks of many parts in any order in, blocks out, the index at the end. It keeps what does not yet
// fill a block, and never more than `WAITING` of it over all parts: a part of many small chunks then gets a small block.

import { crc32 } from 'node:zlib';
import { misuse } from './recording-error.ts';
import {
  BLOCK_HEAD,
  BLOCK_LENGTH,
  DEFAULT_LEVEL,
  encodeBlock,
  encodeEnd,
  encodeHeader,
  END_LENGTH,
  INDEX_BLOCK,
  INDEX_LIMIT,
  NAME_LIMIT,
  PART_BLOCK,
} from './snapshot-format.ts';
import { encodeIndex, type BlockPlace } from './snapshot-index.ts';

const WAITING = 16 << 20;

interface OpenPart {
  readonly worker: number;
  readonly name: number;
  checksum: number;
  readonly blocks: BlockPlace[];
  waiting: Uint8Array[];
  waitingLength: number;
}

export class SnapshotEncoder {
  /** Bytes of content so far. */
  length = 0;
  readonly #write: (bytes: Uint8Array) => void;
  readonly #level: number;
  readonly #names = new Map<string, number>();
  readonly #parts = new Map<string, OpenPart>();
  #offset = 0;
  #waiting = 0;

  constructor(phase: number, write: (bytes: Uint8Array) => void, level: number = DEFAULT_LEVEL) {
    this.#write = write;
    this.#level = level;
    this.#put(encodeHeader(phase));
  }

  /** The bytes are kept for a while and must not change. */
  add(worker: number, name: string, bytes: Uint8Array): void {
    const part = this.#part(worker, name);
    part.checksum = crc32(bytes, part.checksum);
    this.length += bytes.length;
    for (let at = 0; at < bytes.length;) {
      const piece = bytes.subarray(at, at + BLOCK_LENGTH - part.waitingLength);
      at += piece.length;
      if (piece.length === BLOCK_LENGTH) this.#block(part, piece);
      else this.#wait(part, piece);
    }
    if (this.#waiting > WAITING) for (const each of this.#parts.values()) this.#flush(each);
  }

  /** Writes what is left, the index and the end mark. Answers the length of the file. */
  finish(time: number, meta: string): number {
    for (const part of this.#parts.values()) {
      if (part.blocks.length === 0 && part.waitingLength === 0) this.#block(part, new Uint8Array());
      this.#flush(part);
    }
    const index = encodeIndex({ time, meta, names: [...this.#names.keys()], parts: [...this.#parts.values()] });
    if (index.length > INDEX_LIMIT) throw misuse(`a snapshot of ${this.#parts.size} parts is too large for an index`);
    const at = this.#offset;
    this.#encode(INDEX_BLOCK, 0, 0, index);
    this.#put(encodeEnd(at, this.#offset + END_LENGTH));
    return this.#offset;
  }

  #part(worker: number, name: string): OpenPart {
    const wellFormed = name.toWellFormed();
    let number = this.#names.get(wellFormed);
    if (number === undefined) {
      if (Buffer.byteLength(wellFormed) > NAME_LIMIT)
        throw misuse(`the name of a part is longer than ${NAME_LIMIT} bytes`);
      number = this.#names.size;
      this.#names.set(wellFormed, number);
    }
    const key = `${worker} ${number}`;
    let part = this.#parts.get(key);
    if (part === undefined) {
      part = { worker, name: number, checksum: 0, blocks: [], waiting: [], waitingLength: 0 };
      this.#parts.set(key, part);
    }
    return part;
  }

  #wait(part: OpenPart, piece: Uint8Array): void {
    part.waiting.push(piece);
    part.waitingLength += piece.length;
    this.#waiting += piece.length;
    if (part.waitingLength === BLOCK_LENGTH) this.#flush(part);
  }

  #flush(part: OpenPart): void {
    if (part.waitingLength === 0) return;
    const content = Buffer.concat(part.waiting, part.waitingLength);
    this.#waiting -= part.waitingLength;
    part.waiting = [];
    part.waitingLength = 0;
    this.#block(part, content);
  }

  #block(part: OpenPart, content: Uint8Array): void {
    const offset = this.#offset;
    this.#encode(PART_BLOCK, part.worker, part.name, content);
    part.blocks.push({ offset, stored: this.#offset - offset - BLOCK_HEAD, length: content.length });
  }

  #encode(kind: number, worker: number, name: number, content: Uint8Array): void {
    const { head, payload } = encodeBlock({ kind, worker, name }, content, this.#level);
    this.#put(head);
    if (payload.length > 0) this.#put(payload);
  }

  #put(bytes: Uint8Array): void {
    this.#write(bytes);
    this.#offset += bytes.length;
  }
}
