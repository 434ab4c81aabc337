// One trace segment that is being written. Blocks are appended and readable at once; a block that the disk takes only
// in part is truncated, if possible.

import { fstatSync } from 'node:fs';
import { closeSync, ftruncateSync, openSync } from '../file-operations.ts';
import type { RecordingSeal } from '../sealed/recording-seal.ts';
import type { Sealer } from '../sealed/sealing.ts';
import { BLOCK_BYTES } from '../snapshot-format.ts';
import { FILE_MODE, writeAll } from '../atomic-file.ts';
import {
  encodeTraceBlock,
  encodeTraceHeader,
  EVENTS_BLOCK,
  MARK_BLOCK,
  MARK_BYTES,
  type SegmentHeader,
} from './trace-format.ts';

/** Minimum interval between checks whether the file still exists: writes to a removed file do not fail. */
const CHECK_INTERVAL_MS = 500;

export interface SegmentFileOptions {
  /** Compression level. */
  readonly level: number;
  /** Seal of the recording, if it is sealed. */
  readonly seal: RecordingSeal | undefined;
}

export class SegmentFile {
  readonly path: string;
  readonly phase: number;
  readonly #descriptor: number;
  readonly #level: number;
  readonly #sealer: Sealer | undefined;
  /** Length of the file without a partial block. */
  #size = 0;
  /** Number of event bytes, uncompressed. */
  #eventBytes = 0;
  #checkedAt = performance.now();

  constructor(path: string, segment: SegmentHeader, { level, seal }: SegmentFileOptions) {
    this.path = path;
    this.phase = segment.phase;
    this.#level = level;
    this.#descriptor = openSync(path, 'w', FILE_MODE);
    try {
      this.#sealer = seal?.createSealer(path);
      if (this.#sealer !== undefined) this.#write([this.#sealer.header]);
      this.#append([encodeTraceHeader(segment)]);
    } catch (error) {
      this.close();
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  /** @throws also if the file was removed */
  addEvents(events: Uint8Array): void {
    this.#checkExists();
    for (let offset = 0; offset < events.length; offset += BLOCK_BYTES) {
      const content = events.subarray(offset, offset + BLOCK_BYTES);
      this.#append(encodeTraceBlock(EVENTS_BLOCK, content, this.#eventBytes, this.#level));
      this.#eventBytes += content.length;
    }
  }

  /** Completes the segment. @param follows a number of `FOLLOWS` @param nextPhase phase of the next segment */
  writeMark(follows: number, nextPhase = 0): void {
    const mark = Buffer.alloc(MARK_BYTES);
    mark.writeUInt8(follows, 0);
    mark.writeBigUInt64LE(BigInt(nextPhase), 1);
    this.#append(encodeTraceBlock(MARK_BLOCK, mark, this.#eventBytes, this.#level));
  }

  #checkExists(): void {
    const now = performance.now();
    if (now - this.#checkedAt < CHECK_INTERVAL_MS) return;
    this.#checkedAt = now;
    if (fstatSync(this.#descriptor).nlink > 0) return;
    const message = `ENOENT: the file was removed, write '${this.path}'`;
    throw Object.assign(new Error(message), { code: 'ENOENT', path: this.path });
  }

  close(): void {
    closeSync(this.#descriptor);
  }

  /** Appends a block. A block of a sealed file is one chunk, and therefore readable at once. */
  #append(pieces: readonly Uint8Array[]): void {
    this.#write(this.#sealer === undefined ? pieces : [this.#sealer.seal(Buffer.concat(pieces))]);
  }

  #write(pieces: readonly Uint8Array[]): void {
    try {
      for (const piece of pieces) {
        writeAll(this.#descriptor, piece);
      }
    } catch (error) {
      try {
        ftruncateSync(this.#descriptor, this.#size);
      } catch {
        // A reader treats the partial block as cut off.
      }
      throw error;
    }
    this.#size += pieces.reduce((sum, { length }) => sum + length, 0);
  }
}
