// Encodes a snapshot: takes chunks of many parts in any order, writes blocks, and ends with the index. It buffers at
// most `MAX_BUFFERED_BYTES` of incomplete blocks over all parts, so a part of many small chunks may get a small block.

import { crc32 } from 'node:zlib';
import { misuseError } from './recording-error.ts';
import {
  BLOCK_HEAD_BYTES,
  BLOCK_BYTES,
  DEFAULT_COMPRESSION_LEVEL,
  encodeBlock,
  encodeEnd,
  encodeHeader,
  END_BYTES,
  INDEX_BLOCK,
  MAX_INDEX_BYTES,
  MAX_NAME_BYTES,
  PART_BLOCK,
} from './snapshot-format.ts';
import { encodeIndex, type BlockLocation } from './snapshot-index.ts';

const MAX_BUFFERED_BYTES = 16 << 20;

interface OpenPart {
  readonly worker: number;
  readonly name: number;
  checksum: number;
  readonly blocks: BlockLocation[];
  buffered: Uint8Array[];
  bufferedBytes: number;
}

export class SnapshotEncoder {
  /** Size of the content added. */
  length = 0;
  readonly #write: (bytes: Uint8Array) => void;
  readonly #level: number;
  readonly #names = new Map<string, number>();
  readonly #parts = new Map<string, OpenPart>();
  #offset = 0;
  #bufferedBytes = 0;

  constructor(phase: number, write: (bytes: Uint8Array) => void, level: number = DEFAULT_COMPRESSION_LEVEL) {
    this.#write = write;
    this.#level = level;
    this.#writeBytes(encodeHeader(phase));
  }

  /** Adds bytes to a part. The bytes are buffered and must not change afterwards. */
  add(worker: number, name: string, bytes: Uint8Array): void {
    const part = this.#openPart(worker, name);
    part.checksum = crc32(bytes, part.checksum);
    this.length += bytes.length;
    for (let offset = 0; offset < bytes.length;) {
      const piece = bytes.subarray(offset, offset + BLOCK_BYTES - part.bufferedBytes);
      offset += piece.length;
      if (piece.length === BLOCK_BYTES) this.#writeBlock(part, piece);
      else this.#buffer(part, piece);
    }
    if (this.#bufferedBytes > MAX_BUFFERED_BYTES) for (const each of this.#parts.values()) this.#flush(each);
  }

  /** Writes the remaining blocks, the index and the end mark. Returns the length of the file. */
  finish(time: number, meta: string): number {
    for (const part of this.#parts.values()) {
      if (part.blocks.length === 0 && part.bufferedBytes === 0) this.#writeBlock(part, new Uint8Array());
      this.#flush(part);
    }
    const index = encodeIndex({ time, meta, names: [...this.#names.keys()], parts: [...this.#parts.values()] });
    if (index.length > MAX_INDEX_BYTES)
      throw misuseError(`a snapshot of ${this.#parts.size} parts is too large for an index`);
    const indexOffset = this.#offset;
    this.#encodeBlock(INDEX_BLOCK, 0, 0, index);
    this.#writeBytes(encodeEnd(indexOffset, this.#offset + END_BYTES));
    return this.#offset;
  }

  #openPart(worker: number, name: string): OpenPart {
    const wellFormed = name.toWellFormed();
    let number = this.#names.get(wellFormed);
    if (number === undefined) {
      if (Buffer.byteLength(wellFormed) > MAX_NAME_BYTES)
        throw misuseError(`the name of a part is longer than ${MAX_NAME_BYTES} bytes`);
      number = this.#names.size;
      this.#names.set(wellFormed, number);
    }
    const key = `${worker} ${number}`;
    let part = this.#parts.get(key);
    if (part === undefined) {
      part = { worker, name: number, checksum: 0, blocks: [], buffered: [], bufferedBytes: 0 };
      this.#parts.set(key, part);
    }
    return part;
  }

  #buffer(part: OpenPart, piece: Uint8Array): void {
    part.buffered.push(piece);
    part.bufferedBytes += piece.length;
    this.#bufferedBytes += piece.length;
    if (part.bufferedBytes === BLOCK_BYTES) this.#flush(part);
  }

  #flush(part: OpenPart): void {
    if (part.bufferedBytes === 0) return;
    const content = Buffer.concat(part.buffered, part.bufferedBytes);
    this.#bufferedBytes -= part.bufferedBytes;
    part.buffered = [];
    part.bufferedBytes = 0;
    this.#writeBlock(part, content);
  }

  #writeBlock(part: OpenPart, content: Uint8Array): void {
    const offset = this.#offset;
    this.#encodeBlock(PART_BLOCK, part.worker, part.name, content);
    part.blocks.push({ offset, stored: this.#offset - offset - BLOCK_HEAD_BYTES, length: content.length });
  }

  #encodeBlock(kind: number, worker: number, name: number, content: Uint8Array): void {
    const { head, payload } = encodeBlock({ kind, worker, name }, content, this.#level);
    this.#writeBytes(head);
    if (payload.length > 0) this.#writeBytes(payload);
  }

  #writeBytes(bytes: Uint8Array): void {
    this.#write(bytes);
    this.#offset += bytes.length;
  }
}
