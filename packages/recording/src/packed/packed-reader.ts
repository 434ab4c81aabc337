// Reads a packed recording sequentially with one block in memory. Any bytes give pieces of files or a `RecordingError`.
// Only a complete read verifies the file.

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
  /** Content of the file after the previous piece. */
  readonly bytes: Uint8Array;
  /** Whether the piece is the last one of its file. */
  readonly isLast: boolean;
}

const EMPTY = new Uint8Array(0);

export class PackedReader {
  readonly #source: ByteSource;
  readonly #hash = createHash('sha256');
  #offset = 0;
  #contentOffset = 0;
  /** Files in order; the manifest is first. */
  readonly files: readonly PackedFile[];
  /** Size of all files. */
  readonly length: number;

  /** Reads the list of files. Closes the source on an error. @throws {RecordingError} */
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

  /** Reads the files in pieces and closes the source. May be called only once. */
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
