// Reads a snapshot file: any bytes give data or a `RecordingError`. Opening reads header, end mark and index. Blocks
// are read on request and checked before decompression; their heads and the caller bound the memory.

import { crc32 } from 'node:zlib';
import { damagedError, missingError, misuseError, RecordingError } from './recording-error.ts';
import type { ByteSource } from './byte-source.ts';
import type { Json } from './json.ts';
import {
  BLOCK_HEAD_BYTES,
  checkBlock,
  blockContent,
  decodeEnd,
  decodeHeader,
  END_BYTES,
  HEADER_BYTES,
  INDEX_BLOCK,
  MAX_INDEX_BYTES,
  PART_BLOCK,
  asBuffer,
} from './snapshot-format.ts';
import { decodeIndex, type BlockLocation, type PartEntry, type SnapshotIndex } from './snapshot-index.ts';

/** Default of `limit` in `SnapshotPart.read`. */
export const DEFAULT_READ_LIMIT = 2 ** 30;

export interface SnapshotPart {
  readonly worker: number;
  readonly name: string;
  /** Size of the content, as declared. */
  readonly length: number;
  /** Size in the file. */
  readonly stored: number;
  /** Reads the content, which must not exceed `limit` bytes (default 1 GiB). */
  read(limit?: number): Uint8Array;
  /** Reads the content in blocks of at most 16 MiB. Only a complete read verifies the part. */
  blocks(): Generator<Uint8Array, void, undefined>;
}

export class SnapshotReader {
  readonly phase: number;
  /** Time of the snapshot, in milliseconds since 1970. */
  readonly time: number;
  /** Metadata passed to `commitSnapshot`. */
  readonly meta: Json;
  /** Size of the file. */
  readonly size: number;
  readonly parts: readonly SnapshotPart[];
  readonly #source: ByteSource;
  readonly #index: SnapshotIndex;
  readonly #partByKey: ReadonlyMap<string, SnapshotPart>;

  /** Reads the header, the end mark and the index. Closes the source on an error. @throws {RecordingError} */
  constructor(source: ByteSource) {
    this.#source = source;
    this.size = source.size;
    try {
      this.phase = decodeHeader(this.#readBytes(0, HEADER_BYTES), source.name);
      this.#index = this.#readIndex();
      this.time = this.#index.time;
      this.meta = this.#parseMeta(this.#index.meta);
    } catch (error) {
      source.close();
      throw error;
    }
    this.parts = this.#index.parts.map((entry) => this.#createPart(entry));
    this.#partByKey = new Map(this.parts.map((part) => [`${part.worker} ${part.name}`, part]));
  }

  get file(): string {
    return this.#source.name;
  }

  /** Workers with parts, ascending. */
  get workers(): number[] {
    return [...new Set(this.parts.map(({ worker }) => worker))].sort((first, second) => first - second);
  }

  part(worker: number, name: string): SnapshotPart {
    const existing = this.#partByKey.get(`${worker} ${name}`);
    if (existing !== undefined) return existing;
    const names = this.parts.filter((each) => each.worker === worker).map((each) => each.name);
    throw missingError(
      this.file,
      `worker ${worker} has no part ${JSON.stringify(name)}`,
      names.length === 0 ? 'it has no parts' : `its parts are ${names.join(', ')}`,
    );
  }

  /** Checks all blocks without decompressing them. @throws {RecordingError} if one is damaged */
  verify(): void {
    for (const entry of this.#index.parts) for (const location of entry.blocks) this.#readBlock(entry, location);
  }

  close(): void {
    this.#source.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #readBytes(offset: number, length: number): Uint8Array {
    const { name, size } = this.#source;
    if (offset + length > size)
      throw damagedError(name, size, `${offset + length - size} more bytes: the file is cut off`);
    return this.#source.read(offset, length);
  }

  #readIndex(): SnapshotIndex {
    const { name, size } = this.#source;
    if (size < HEADER_BYTES + BLOCK_HEAD_BYTES + END_BYTES)
      throw damagedError(name, size, 'an index: the file is cut off');
    const indexOffset = decodeEnd(this.#readBytes(size - END_BYTES, END_BYTES), size, name);
    if (size - END_BYTES - indexOffset > MAX_INDEX_BYTES)
      throw tooLargeError(name, 'index', size - END_BYTES - indexOffset, MAX_INDEX_BYTES);
    const bytes = this.#readBytes(indexOffset, size - END_BYTES - indexOffset);
    const length = asBuffer(bytes).readUInt32LE(16);
    checkBlock(
      bytes,
      { kind: INDEX_BLOCK, worker: 0, name: 0, stored: bytes.length - BLOCK_HEAD_BYTES, length },
      name,
      indexOffset,
    );
    if (length > MAX_INDEX_BYTES) throw tooLargeError(name, 'index', length, MAX_INDEX_BYTES);
    return decodeIndex(blockContent(bytes, length, name, indexOffset), name, indexOffset);
  }

  #parseMeta(text: string): Json {
    try {
      return JSON.parse(text) as Json;
    } catch (error) {
      throw damagedError(this.file, this.size - END_BYTES, 'JSON in the index', error);
    }
  }

  #readBlock({ worker, name }: PartEntry, { offset, stored, length }: BlockLocation): Uint8Array {
    const bytes = this.#readBytes(offset, BLOCK_HEAD_BYTES + stored);
    checkBlock(bytes, { kind: PART_BLOCK, worker, name, stored, length }, this.file, offset);
    return bytes;
  }

  *#readBlocks(entry: PartEntry): Generator<Uint8Array, void, undefined> {
    let checksum = 0;
    for (const location of entry.blocks) {
      const content = blockContent(this.#readBlock(entry, location), location.length, this.file, location.offset);
      checksum = crc32(content, checksum);
      yield content;
    }
    if (checksum !== entry.checksum)
      throw damagedError(
        this.file,
        entry.blocks[0]?.offset ?? HEADER_BYTES,
        'the checksum of a part, over all its blocks',
      );
  }

  #createPart(entry: PartEntry): SnapshotPart {
    const length = entry.blocks.reduce((sum, block) => sum + block.length, 0);
    const name = this.#index.names[entry.name] ?? '';
    const blocks = (): Generator<Uint8Array, void, undefined> => this.#readBlocks(entry);
    return {
      worker: entry.worker,
      name,
      length,
      stored: entry.blocks.reduce((sum, block) => sum + block.stored + BLOCK_HEAD_BYTES, 0),
      blocks,
      read: (limit = DEFAULT_READ_LIMIT) => {
        if (!(limit >= 0)) throw misuseError(`a part cannot be read within ${limit} bytes`);
        if (length > limit)
          throw tooLargeError(this.file, `part ${JSON.stringify(name)} of worker ${entry.worker}`, length, limit);
        return concatBlocks(blocks(), length);
      },
    };
  }
}

function concatBlocks(blocks: Iterable<Uint8Array>, length: number): Uint8Array {
  const joinedBytes = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
  let offset = 0;
  for (const block of blocks) {
    joinedBytes.set(block, offset);
    offset += block.length;
  }
  return joinedBytes;
}

function tooLargeError(file: string, subject: string, length: number, limit: number): RecordingError {
  return new RecordingError(
    'TT_RECORDING_TOO_LARGE',
    `${file}: the ${subject} has ${length} bytes, more than the ${limit} allowed; raise the limit if you trust its source`,
    { file },
  );
}
