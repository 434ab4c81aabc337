// Random access to the content of a sealed file. Opening finds the chunks; a chunk is decrypted when it is read. An
// incomplete last chunk counts as missing. Nothing can be read after a damaged chunk.

import type { ByteSource } from '../byte-source.ts';
import { damagedError, type RecordingError } from '../recording-error.ts';
import type { RecordingSeal } from './recording-seal.ts';
import { sealError } from './seal-errors.ts';
import {
  isSealed,
  readChunkLength,
  type Unsealer,
  SEALED_CHUNK_HEAD_BYTES,
  SEALED_HEADER_BYTES,
  TAG_BYTES,
} from './sealing.ts';

export function openSealedSource(raw: ByteSource, seal: RecordingSeal): ByteSource {
  try {
    return new SealedSource(raw, seal);
  } catch (error) {
    raw.close();
    throw error;
  }
}

/**
 * Returns undefined if the header is incomplete, which counts as missing like an incomplete chunk.
 * @throws {RecordingError} if the file is not a sealed file of the recording, or its key is not known
 */
export function readSealedHeader(raw: ByteSource, seal: RecordingSeal): Unsealer | undefined {
  if (raw.size < SEALED_HEADER_BYTES) return undefined;
  const header = raw.read(0, SEALED_HEADER_BYTES);
  if (isSealed(header)) return seal.openSealed(header, raw.name);
  // A power failure may leave zeros where nothing was written.
  if (header.every((byte) => byte === 0)) return undefined;
  throw sealError(raw.name, 'is not sealed, but its recording is');
}

class SealedSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly #raw: ByteSource;
  readonly #unsealer: Unsealer | undefined;
  /** Offset of each chunk in the file, and of its content. */
  readonly #chunkOffsets: number[] = [];
  readonly #contentStarts: number[] = [];
  /** Size of the readable content. */
  #length = 0;
  #error: RecordingError | undefined;
  #cachedChunk: { readonly chunk: number; readonly content: Uint8Array } | undefined;

  constructor(raw: ByteSource, seal: RecordingSeal) {
    this.#raw = raw;
    this.name = raw.name;
    this.#unsealer = readSealedHeader(raw, seal);
    const bytesAfterChunks = this.#unsealer === undefined ? 0 : this.#indexChunks();
    // The size includes the unreadable rest, so that a reader that reaches it gets the error.
    this.size = this.#length + (this.#error === undefined ? 0 : bytesAfterChunks);
  }

  read(offset: number, length: number): Uint8Array {
    if (offset + length > this.#length && this.#error !== undefined) throw this.#error;
    const bytes = Buffer.allocUnsafeSlow(length);
    let chunkIndex = this.#chunkAt(offset);
    for (let bytesRead = 0; bytesRead < length; chunkIndex++) {
      const content = this.#chunkContent(chunkIndex);
      const start = offset + bytesRead - (this.#contentStarts[chunkIndex] ?? 0);
      const piece = content.subarray(start, start + length - bytesRead);
      if (piece.length === 0) throw damagedError(this.name, this.#raw.size, `${length - bytesRead} more bytes`);
      bytes.set(piece, bytesRead);
      bytesRead += piece.length;
    }
    return bytes;
  }

  close(): void {
    this.#raw.close();
    this.#cachedChunk = undefined;
  }

  /** Finds the chunks. Returns the number of bytes after the last one. */
  #indexChunks(): number {
    const { name, size } = this.#raw;
    let offset = SEALED_HEADER_BYTES;
    try {
      while (offset + SEALED_CHUNK_HEAD_BYTES <= size) {
        const length = readChunkLength(this.#raw.read(offset, SEALED_CHUNK_HEAD_BYTES), name, offset);
        const end = offset + SEALED_CHUNK_HEAD_BYTES + (length ?? 0) + TAG_BYTES;
        if (length === undefined || end > size) break;
        this.#chunkOffsets.push(offset);
        this.#contentStarts.push(this.#length);
        this.#length += length;
        offset = end;
      }
    } catch (error) {
      this.#error = error as RecordingError;
    }
    return size - offset;
  }

  /** Returns the last chunk that begins at or before the offset. */
  #chunkAt(contentOffset: number): number {
    let [low, high] = [0, this.#contentStarts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#contentStarts[middle] ?? 0) <= contentOffset) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #chunkContent(chunkIndex: number): Uint8Array {
    if (this.#cachedChunk?.chunk === chunkIndex) return this.#cachedChunk.content;
    const [chunkOffset, start] = [this.#chunkOffsets[chunkIndex], this.#contentStarts[chunkIndex]];
    if (this.#unsealer === undefined || chunkOffset === undefined || start === undefined) return new Uint8Array(0);
    const length = (this.#contentStarts[chunkIndex + 1] ?? this.#length) - start;
    const content = this.#unsealer.unseal(
      chunkIndex,
      this.#raw.read(chunkOffset + SEALED_CHUNK_HEAD_BYTES, length + TAG_BYTES),
      chunkOffset,
    );
    this.#cachedChunk = { chunk: chunkIndex, content };
    return content;
  }
}
