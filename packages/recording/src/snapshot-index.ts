// The index of a snapshot file: when it was taken, what its makers say of it, and where the blocks of each part are. A part is the
// bytes of one worker under one name, in the order in which they were added. Decoding is bounded by the size of the file: each part has a
// block, and each block takes its head's room, so counts that promise more than there is allocate nothing.

import { damaged } from './recording-error.ts';
import { BLOCK_HEAD, BLOCK_LIMIT, HEADER_LENGTH, META_LIMIT, NAME_LIMIT, viewOf } from './snapshot-format.ts';

export interface BlockPlace {
  readonly offset: number;
  /** Bytes in the file, without the head. */
  readonly stored: number;
  /** Bytes of content. */
  readonly length: number;
}

export interface PartEntry {
  readonly worker: number;
  /** Number of the name. */
  readonly name: number;
  /** CRC-32 of the whole content. */
  readonly checksum: number;
  readonly blocks: readonly BlockPlace[];
}

export interface SnapshotIndex {
  /** Milliseconds since 1970, by the clock of the writer. */
  readonly time: number;
  /** JSON. */
  readonly meta: string;
  readonly names: readonly string[];
  readonly parts: readonly PartEntry[];
}

export function encodeIndex({ time, meta, names, parts }: SnapshotIndex): Uint8Array {
  const bytes = new Growing();
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
  return bytes.taken();
}

/**
 * @param at where the index's block is: blocks of parts fill what is between the header and it
 * @throws {RecordingError} whatever is not an index of just such a file
 */
export function decodeIndex(bytes: Uint8Array, file: string, at: number): SnapshotIndex {
  const cursor = new Cursor(bytes, file, at);
  const most = Math.floor((at - HEADER_LENGTH) / BLOCK_HEAD);
  const time = cursor.varint(Number.MAX_SAFE_INTEGER, 'a time');
  const meta = cursor.text(META_LIMIT, 'what its makers say of it');
  const names = Array.from({ length: cursor.varint(most, 'the number of names') }, () =>
    cursor.text(NAME_LIMIT, 'a name'),
  );
  if (new Set(names).size !== names.length) throw cursor.expected('names, each once');
  const seen = new Set<string>();
  let left = most;
  const parts = Array.from({ length: cursor.varint(most, 'the number of parts') }, (): PartEntry => {
    const worker = cursor.varint(0xffff_ffff, 'the number of a worker');
    const name = cursor.varint(names.length - 1, 'the number of a name');
    const checksum = cursor.varint(0xffff_ffff, 'a checksum');
    const count = cursor.varint(left, 'the number of blocks');
    if (count === 0) throw cursor.expected('a block');
    left -= count;
    const key = `${worker} ${name}`;
    if (seen.has(key)) throw cursor.expected('parts, each once');
    seen.add(key);
    return { worker, name, checksum, blocks: blocksFrom(cursor, count, at) };
  });
  cursor.end();
  tile(parts, cursor, at);
  return { time, meta, names, parts };
}

function blocksFrom(cursor: Cursor, count: number, at: number): BlockPlace[] {
  let previous = HEADER_LENGTH - 1;
  return Array.from({ length: count }, () => {
    const offset = cursor.varint(at - BLOCK_HEAD, 'the offset of a block');
    if (offset <= previous) throw cursor.expected('blocks in their order');
    previous = offset;
    const stored = cursor.varint(Math.min(BLOCK_LIMIT, at - BLOCK_HEAD - offset), 'the length of a block in the file');
    return { offset, stored, length: cursor.varint(BLOCK_LIMIT, 'the length of a block') };
  });
}

/** Blocks lie side by side: no byte of the file belongs to two of them, or to none. */
function tile(parts: readonly PartEntry[], cursor: Cursor, at: number): void {
  const places = parts.flatMap(({ blocks }) => blocks).sort((one, other) => one.offset - other.offset);
  let next = HEADER_LENGTH;
  for (const { offset, stored } of places) {
    if (offset !== next) throw cursor.expected(`a block at ${next}`);
    next = offset + BLOCK_HEAD + stored;
  }
  if (next !== at) throw cursor.expected(`a block at ${next}`);
}

class Growing {
  #bytes = Buffer.allocUnsafe(1024);
  #length = 0;

  #room(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }

  varint(value: number): void {
    this.#room(8);
    let rest = value;
    while (rest >= 0x80) {
      this.#bytes[this.#length++] = (rest % 0x80) | 0x80;
      rest = Math.floor(rest / 0x80);
    }
    this.#bytes[this.#length++] = rest;
  }

  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.varint(length);
    this.#room(length);
    this.#length += this.#bytes.write(text, this.#length);
  }

  taken(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}

class Cursor {
  readonly #bytes: Buffer;
  readonly #file: string;
  readonly #offset: number;
  #at = 0;

  constructor(bytes: Uint8Array, file: string, offset: number) {
    this.#bytes = viewOf(bytes);
    this.#file = file;
    this.#offset = offset;
  }

  expected(what: string): Error {
    return damaged(this.#file, this.#offset, `${what} at byte ${this.#at} of the index`);
  }

  varint(most: number, what: string): number {
    let value = 0;
    for (let unit = 1; ; unit *= 0x80) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw this.expected(what);
      this.#at++;
      value += (byte & 0x7f) * unit;
      if (value > most) throw this.expected(`${what}, at most ${most},`);
      if (byte < 0x80) {
        if (byte === 0 && unit > 1) throw this.expected(`${what} in its shortest form`);
        return value;
      }
    }
  }

  text(most: number, what: string): string {
    const length = this.varint(Math.min(most, this.#bytes.length), what);
    const end = this.#at + length;
    if (end > this.#bytes.length) throw this.expected(what);
    const bytes = this.#bytes.subarray(this.#at, end);
    try {
      const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      this.#at = end;
      return text;
    } catch {
      throw this.expected(`${what} in UTF-8`);
    }
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw this.expected('the end');
  }
}
