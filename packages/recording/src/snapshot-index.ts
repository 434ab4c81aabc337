// Index of a snapshot file: its time, metadata, and the blocks of each part. A part is the bytes that one worker added
// under one name, in order. The size of the file bounds what decoding allocates: each part needs a block, each block
// a head.

import { damagedError } from './recording-error.ts';
import {
  BLOCK_HEAD_BYTES,
  MAX_BLOCK_BYTES,
  HEADER_BYTES,
  MAX_META_BYTES,
  MAX_NAME_BYTES,
  asBuffer,
} from './snapshot-format.ts';

export interface BlockLocation {
  readonly offset: number;
  /** Size in the file, without the head. */
  readonly stored: number;
  /** Size of the content. */
  readonly length: number;
}

export interface PartEntry {
  readonly worker: number;
  /** Index of the name. */
  readonly name: number;
  /** CRC-32 of the part's content. */
  readonly checksum: number;
  readonly blocks: readonly BlockLocation[];
}

export interface SnapshotIndex {
  /** Time on the writer's clock, in milliseconds since 1970. */
  readonly time: number;
  /** Metadata as JSON. */
  readonly meta: string;
  readonly names: readonly string[];
  readonly parts: readonly PartEntry[];
}

export function encodeIndex({ time, meta, names, parts }: SnapshotIndex): Uint8Array {
  const bytes = new GrowableBuffer();
  bytes.varint(time);
  bytes.text(meta);
  bytes.varint(names.length);
  for (const name of names) bytes.text(name);
  bytes.varint(parts.length);
  for (const { worker, name, checksum, blocks } of parts) {
    bytes.varint(worker);
    bytes.varint(name);
    bytes.varint(checksum);
    bytes.varint(blocks.length);
    for (const { offset, stored, length } of blocks) {
      bytes.varint(offset);
      bytes.varint(stored);
      bytes.varint(length);
    }
  }
  return bytes.toBytes();
}

/**
 * @param indexOffset offset of the index block, up to which the blocks of parts fill the file after its header
 * @throws {RecordingError} if the bytes are not an index of such a file
 */
export function decodeIndex(bytes: Uint8Array, file: string, indexOffset: number): SnapshotIndex {
  const reader = new IndexReader(bytes, file, indexOffset);
  const maxBlocks = Math.floor((indexOffset - HEADER_BYTES) / BLOCK_HEAD_BYTES);
  const time = reader.varint(Number.MAX_SAFE_INTEGER, 'a time');
  const meta = reader.text(MAX_META_BYTES, 'the metadata');
  const names = Array.from({ length: reader.varint(maxBlocks, 'the number of names') }, () =>
    reader.text(MAX_NAME_BYTES, 'a name'),
  );
  if (new Set(names).size !== names.length) throw reader.damagedError('names, each once');
  const partKeys = new Set<string>();
  let blocksLeft = maxBlocks;
  const parts = Array.from({ length: reader.varint(maxBlocks, 'the number of parts') }, (): PartEntry => {
    const worker = reader.varint(0xffff_ffff, 'the number of a worker');
    const name = reader.varint(names.length - 1, 'the number of a name');
    const checksum = reader.varint(0xffff_ffff, 'a checksum');
    const count = reader.varint(blocksLeft, 'the number of blocks');
    if (count === 0) throw reader.damagedError('a block');
    blocksLeft -= count;
    const key = `${worker} ${name}`;
    if (partKeys.has(key)) throw reader.damagedError('parts, each once');
    partKeys.add(key);
    return { worker, name, checksum, blocks: readBlocks(reader, count, indexOffset) };
  });
  reader.end();
  checkTiling(parts, reader, indexOffset);
  return { time, meta, names, parts };
}

function readBlocks(reader: IndexReader, count: number, indexOffset: number): BlockLocation[] {
  let previous = HEADER_BYTES - 1;
  return Array.from({ length: count }, () => {
    const offset = reader.varint(indexOffset - BLOCK_HEAD_BYTES, 'the offset of a block');
    if (offset <= previous) throw reader.damagedError('blocks in their order');
    previous = offset;
    const stored = reader.varint(
      Math.min(MAX_BLOCK_BYTES, indexOffset - BLOCK_HEAD_BYTES - offset),
      'the length of a block in the file',
    );
    return { offset, stored, length: reader.varint(MAX_BLOCK_BYTES, 'the length of a block') };
  });
}

/** Checks that every byte before the index belongs to exactly one block. */
function checkTiling(parts: readonly PartEntry[], reader: IndexReader, indexOffset: number): void {
  const blocks = parts.flatMap(({ blocks }) => blocks).sort((first, second) => first.offset - second.offset);
  let nextOffset = HEADER_BYTES;
  for (const { offset, stored } of blocks) {
    if (offset !== nextOffset) throw reader.damagedError(`a block at ${nextOffset}`);
    nextOffset = offset + BLOCK_HEAD_BYTES + stored;
  }
  if (nextOffset !== indexOffset) throw reader.damagedError(`a block at ${nextOffset}`);
}

class GrowableBuffer {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  #reserve(byteCount: number): void {
    if (this.#length + byteCount <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + byteCount));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  varint(value: number): void {
    this.#reserve(8);
    let remainder = value;
    while (remainder >= 0x80) {
      this.#bytes[this.#length++] = (remainder % 0x80) | 0x80;
      remainder = Math.floor(remainder / 0x80);
    }
    this.#bytes[this.#length++] = remainder;
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.varint(length);
    this.#reserve(length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  toBytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

class IndexReader {
  readonly #bytes: Buffer;
  readonly #file: string;
  readonly #offset: number;
  #position = 0;

  constructor(bytes: Uint8Array, file: string, offset: number) {
    this.#bytes = asBuffer(bytes);
    this.#file = file;
    this.#offset = offset;
  }

  damagedError(expectation: string): Error {
    return damagedError(this.#file, this.#offset, `${expectation} at byte ${this.#position} of the index`);
  }

  varint(max: number, expectation: string): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.#bytes[this.#position];
      if (byte === undefined) throw this.damagedError(expectation);
      this.#position++;
      value += (byte & 0x7f) * unit;
      if (value > max) throw this.damagedError(`${expectation}, at most ${max},`);
      if (byte < 0x80) {
        if (byte === 0 && unit > 1) throw this.damagedError(`${expectation} in its shortest form`);
        return value;
      }
    }
  }

  text(max: number, expectation: string): string {
    const length = this.varint(Math.min(max, this.#bytes.length), expectation);
    const end = this.#position + length;
    if (end > this.#bytes.length) throw this.damagedError(expectation);
    const bytes = this.#bytes.subarray(this.#position, end);
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      this.#position = end;
      return text;
    } catch {
      throw this.damagedError(`${expectation} in UTF-8`);
    }
  }

  end(): void {
    if (this.#position !== this.#bytes.length) throw this.damagedError('the end');
  }
}
