// Reads a packed recording from start to end, one block in memory at a time, whatever its bytes: pieces of files or a
// `RecordingError`. Only reading to the end verifies all of it.

import { createHash } from 'node:crypto';
import type { ByteSource } from '../byte-source.ts';
import {
  checkPackedHeader,
  decodePackedContent,
  damagedPackError,
  decodeDirectory,
  decodePackedBlock,
  DIGEST_BYTES,
  PACKED_BLOCK_HEAD_BYTES,
  PACKED_HEADER_BYTES,
  type PackedFile,
} from './packed-format.ts';

export interface PackedPiece {
  readonly file: PackedFile;
  /** They follow the previous piece. */
  readonly bytes: Uint8Array;
  /** Whether the file ends with this piece. */
  readonly isLast: boolean;
}

const EMPTY = new Uint8Array(0);

export class PackedReader {
  readonly #source: ByteSource;
  readonly #hash = createHash('sha256');
  #offset = 0;
  #contentOffset = 0;
  /** In order; the manifest is the first. */
  readonly files: readonly PackedFile[];
  /** Bytes of all files. */
  readonly length: number;

  /** @throws {RecordingError} after closing the source */
  constructor(source: ByteSource) {
    this.#source = source;
    try {
      checkPackedHeader(this.#readBytes(PACKED_HEADER_BYTES), source.name);
      this.files = decodeDirectory(this.#readBlock(), source.name);
    } catch (error) {
      source.close();
      throw error;
    }
    this.length = this.files.reduce((sum, { length }) => sum + length, 0);
  }

  /** The files in pieces; can be called once. Closes the source. */
  *pieces(): Generator<PackedPiece, void, undefined> {
    try {
      for (const file of this.files) {
        let bytesLeft = file.length;
        if (bytesLeft === 0) yield { file, bytes: EMPTY, isLast: true };
        while (bytesLeft > 0) {
          const offset = this.#offset;
          const bytes = this.#readBlock();
          if (bytes.length > bytesLeft)
            throw damagedPackError(this.#source.name, offset, `at most ${bytesLeft} bytes of ${file.name}`);
          bytesLeft -= bytes.length;
          yield { file, bytes, isLast: bytesLeft === 0 };
        }
      }
      this.#checkDigest();
    } finally {
      this.close();
    }
  }

  close(): void {
    this.#source.close();
  }

  #checkDigest(): void {
    const { name, size } = this.#source;
    const digest = this.#hash.digest();
    const offset = this.#offset;
    if (size < offset + DIGEST_BYTES) throw damagedPackError(name, size, 'the digest of all: the file is cut off');
    if (size > offset + DIGEST_BYTES) throw damagedPackError(name, offset + DIGEST_BYTES, 'the end of the file');
    if (!digest.equals(this.#source.read(offset, DIGEST_BYTES)))
      throw damagedPackError(name, offset, 'the digest of all that is before it');
  }

  #readBlock(): Uint8Array {
    const { name } = this.#source;
    const offset = this.#offset;
    const block = decodePackedBlock(this.#readBytes(PACKED_BLOCK_HEAD_BYTES), name, offset, this.#contentOffset);
    const content = decodePackedContent(block, this.#readBytes(block.stored), name, offset);
    this.#contentOffset += content.length;
    return content;
  }

  #readBytes(length: number): Uint8Array {
    const { name, size } = this.#source;
    if (this.#offset + length > size)
      throw damagedPackError(name, size, `${this.#offset + length - size} more bytes: the file is cut off`);
    const bytes = this.#source.read(this.#offset, length);
    this.#hash.update(bytes);
    this.#offset += length;
    return bytes;
  }
}
