// Reads a snapshot file, whatever its bytes: data or a `RecordingError`. Opening reads header, end mark and index; the blocks of a part are
// read when it is asked for, checked before they are decompressed, and take as much memory as their heads declare and the caller allows.

import { crc32 } from 'node:zlib';
import { damaged, missing, misuse, RecordingError } from './recording-error.ts';
import type { ByteSource } from './byte-source.ts';
import type { Json } from './json.ts';
import {
  BLOCK_HEAD,
  checkBlock,
  contentOf,
  decodeEnd,
  decodeHeader,
  END_LENGTH,
  HEADER_LENGTH,
  INDEX_BLOCK,
  INDEX_LIMIT,
  PART_BLOCK,
  viewOf,
} from './snapshot-format.ts';
import { decodeIndex, type BlockPlace, type PartEntry, type SnapshotIndex } from './snapshot-index.ts';

/** Bytes of content that `read` takes without being asked for more. */
export const READ_LIMIT = 2 ** 30;

export interface SnapshotPart {
  readonly worker: number;
  readonly name: string;
  /** Bytes of content, as declared. */
  readonly length: number;
  /** Bytes in the file. */
  readonly stored: number;
  /** All of it. At most `limit` bytes, 1 GiB if it is not given. */
  read(limit?: number): Uint8Array;
  /** The same, block by block: each of at most 16 MiB. Only who reads to the end knows that all of it is right. */
  blocks(): Generator<Uint8Array, void, undefined>;
}

export class SnapshotReader {
  readonly phase: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The metadata that `commitSnapshot` was given. */
  readonly meta: Json;
  /** Length of the file. */
  readonly size: number;
  readonly parts: readonly SnapshotPart[];
  readonly #source: ByteSource;
  readonly #index: SnapshotIndex;
  readonly #byKey: ReadonlyMap<string, SnapshotPart>;

  /** @throws {RecordingError} and closes the source */
  constructor(source: ByteSource) {
    this.#source = source;
    this.size = source.size;
    try {
      this.phase = decodeHeader(this.#bytes(0, HEADER_LENGTH), source.name);
      this.#index = this.#readIndex();
      this.time = this.#index.time;
      this.meta = this.#metaOf(this.#index.meta);
    } catch (error) {
      source.close();
      throw error;
    }
    this.parts = this.#index.parts.map((entry) => this.#part(entry));
    this.#byKey = new Map(this.parts.map((part) => [`${part.worker} ${part.name}`, part]));
  }

  get file(): string {
    return this.#source.name;
  }

  /** Workers that have parts, ascending. */
  get workers(): number[] {
    return [...new Set(this.parts.map(({ worker }) => worker))].sort((one, other) => one - other);
  }

  part(worker: number, name: string): SnapshotPart {
    const found = this.#byKey.get(`${worker} ${name}`);
    if (found !== undefined) return found;
    const names = this.parts.filter((each) => each.worker === worker).map((each) => each.name);
    throw missing(
      this.file,
      `worker ${worker} has no part ${JSON.stringify(name)}`,
      names.length === 0 ? 'it has none at all' : `it has ${names.join(', ')}`,
    );
  }

  /** Whether every byte is what was written: reads all blocks, decompresses none. Throws if not. */
  verify(): void {
    for (const entry of this.#index.parts) for (const place of entry.blocks) this.#block(entry, place);
  }

  close(): void {
    this.#source.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #bytes(offset: number, length: number): Uint8Array {
    const { name, size } = this.#source;
    if (offset + length > size) throw damaged(name, size, `${offset + length - size} more bytes: the file is cut off`);
    return this.#source.read(offset, length);
  }

  #readIndex(): SnapshotIndex {
    const { name, size } = this.#source;
    if (size < HEADER_LENGTH + BLOCK_HEAD + END_LENGTH) throw damaged(name, size, 'an index: the file is cut off');
    const at = decodeEnd(this.#bytes(size - END_LENGTH, END_LENGTH), size, name);
    if (size - END_LENGTH - at > INDEX_LIMIT) throw tooLarge(name, 'index', size - END_LENGTH - at, INDEX_LIMIT);
    const bytes = this.#bytes(at, size - END_LENGTH - at);
    const length = viewOf(bytes).readUInt32LE(16);
    checkBlock(bytes, { kind: INDEX_BLOCK, worker: 0, name: 0, stored: bytes.length - BLOCK_HEAD, length }, name, at);
    if (length > INDEX_LIMIT) throw tooLarge(name, 'index', length, INDEX_LIMIT);
    return decodeIndex(contentOf(bytes, length, name, at), name, at);
  }

  #metaOf(text: string): Json {
    try {
      return JSON.parse(text) as Json;
    } catch (error) {
      throw damaged(this.file, this.size - END_LENGTH, 'JSON in the index', error);
    }
  }

  #block({ worker, name }: PartEntry, { offset, stored, length }: BlockPlace): Uint8Array {
    const bytes = this.#bytes(offset, BLOCK_HEAD + stored);
    checkBlock(bytes, { kind: PART_BLOCK, worker, name, stored, length }, this.file, offset);
    return bytes;
  }

  *#blocks(entry: PartEntry): Generator<Uint8Array, void, undefined> {
    let checksum = 0;
    for (const place of entry.blocks) {
      const content = contentOf(this.#block(entry, place), place.length, this.file, place.offset);
      checksum = crc32(content, checksum);
      yield content;
    }
    if (checksum !== entry.checksum)
      throw damaged(this.file, entry.blocks[0]?.offset ?? HEADER_LENGTH, 'the checksum of a part, over all its blocks');
  }

  #part(entry: PartEntry): SnapshotPart {
    const length = entry.blocks.reduce((sum, block) => sum + block.length, 0);
    const name = this.#index.names[entry.name] ?? '';
    const blocks = (): Generator<Uint8Array, void, undefined> => this.#blocks(entry);
    return {
      worker: entry.worker,
      name,
      length,
      stored: entry.blocks.reduce((sum, block) => sum + block.stored + BLOCK_HEAD, 0),
      blocks,
      read: (limit = READ_LIMIT) => {
        if (!(limit >= 0)) throw misuse(`a part cannot be read within ${limit} bytes`);
        if (length > limit)
          throw tooLarge(this.file, `part ${JSON.stringify(name)} of worker ${entry.worker}`, length, limit);
        return joined(blocks(), length);
      },
    };
  }
}

function joined(blocks: Iterable<Uint8Array>, length: number): Uint8Array {
  const whole = new Uint8Array(Buffer.allocUnsafeSlow(length).buffer);
  let at = 0;
  for (const block of blocks) {
    whole.set(block, at);
    at += block.length;
  }
  return whole;
}

function tooLarge(file: string, what: string, length: number, limit: number): RecordingError {
  return new RecordingError(
    'TT_RECORDING_TOO_LARGE',
    `${file}: the ${what} has ${length} bytes, more than the ${limit} allowed; allow more if you trust where it comes from`,
    { file },
  );
}
