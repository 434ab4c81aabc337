// Reads a packed recording from its beginning to its end, a block in memory at a time, and whatever its bytes are: pieces of files, or a
// `RecordingError`. Only who reads to the end knows that all of it is right.

import { createHash } from 'node:crypto';
import type { ByteSource } from '../byte-source.ts';
import {
  checkPackedHeader,
  contentOfPackedBlock,
  damagedPack,
  decodeDirectory,
  decodePackedBlock,
  DIGEST_LENGTH,
  PACKED_HEAD,
  PACKED_HEADER,
  type PackedFile,
} from './packed-format.ts';

export interface PackedPiece {
  readonly file: PackedFile;
  /** Behind those before it. */
  readonly bytes: Uint8Array;
  /** Whether the file ends here. */
  readonly isLast: boolean;
}

const NOTHING = new Uint8Array(0);

export class PackedReader {
  readonly #source: ByteSource;
  readonly #hash = createHash('sha256');
  #at = 0;
  #place = 0;
  /** In their order: the manifest is the first. */
  readonly files: readonly PackedFile[];
  /** Bytes of all files. */
  readonly length: number;

  /** @throws {RecordingError} and closes the source */
  constructor(source: ByteSource) {
    this.#source = source;
    try {
      checkPackedHeader(this.#next(PACKED_HEADER), source.name);
      this.files = decodeDirectory(this.#block(), source.name);
    } catch (error) {
      source.close();
      throw error;
    }
    this.length = this.files.reduce((sum, { length }) => sum + length, 0);
  }

  /** Once: the files, each in as many pieces as it takes. Closes the source. */
  *pieces(): Generator<PackedPiece, void, undefined> {
    try {
      for (const file of this.files) {
        let left = file.length;
        if (left === 0) yield { file, bytes: NOTHING, isLast: true };
        while (left > 0) {
          const at = this.#at;
          const bytes = this.#block();
          if (bytes.length > left) throw damagedPack(this.#source.name, at, `at most ${left} bytes of ${file.name}`);
          left -= bytes.length;
          yield { file, bytes, isLast: left === 0 };
        }
      }
      this.#finish();
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#source.close();
  }

  #finish(): void {
    const { name, size } = this.#source;
    const digest = this.#hash.digest();
    const at = this.#at;
    if (size < at + DIGEST_LENGTH) throw damagedPack(name, size, 'the digest of all: the file is cut off');
    if (size > at + DIGEST_LENGTH) throw damagedPack(name, at + DIGEST_LENGTH, 'the end of the file');
    if (!digest.equals(this.#source.read(at, DIGEST_LENGTH)))
      throw damagedPack(name, at, 'the digest of all that is before it');
  }

  #block(): Uint8Array {
    const { name } = this.#source;
    const at = this.#at;
    const block = decodePackedBlock(this.#next(PACKED_HEAD), name, at, this.#place);
    const content = contentOfPackedBlock(block, this.#next(block.stored), name, at);
    this.#place += content.length;
    return content;
  }

  #next(length: number): Uint8Array {
    const { name, size } = this.#source;
    if (this.#at + length > size)
      throw damagedPack(name, size, `${this.#at + length - size} more bytes: the file is cut off`);
    const bytes = this.#source.read(this.#at, length);
    this.#hash.update(bytes);
    this.#at += length;
    return bytes;
  }
}
