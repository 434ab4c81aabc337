// Fixed parts of a snapshot file and the codec of its blocks; docs/internals/formats.md, "Snapshots", is the contract. A checksum
// of the header, a block or the end mark covers every byte.
//
// CRC-32 rather than CRC-32C, because Node's zlib has only CRC-32. Node reaches 3.3 GB/s, a hundred times as fast as
// compression; JavaScript would be slower than zstd. Both checksums find every burst error of up to 32 bits.

import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { damagedError, foreignFormatError } from './recording-error.ts';

export const SNAPSHOT_VERSION = 2;
export const HEADER_BYTES = 24;
export const BLOCK_HEAD_BYTES = 24;
export const END_BYTES = 24;
/** Content size of a written block. A larger block compresses no better, and a reader holds one block in memory. */
export const BLOCK_BYTES = 256 << 10;
/** Maximum content size that readers accept. */
export const MAX_BLOCK_BYTES = 16 << 20;
export const MAX_INDEX_BYTES = 64 << 20;
export const MAX_META_BYTES = 4 << 20;
export const MAX_NAME_BYTES = 4096;
export const PART_BLOCK = 1;
export const INDEX_BLOCK = 2;
// docs/internals/formats.md compares the levels.
export const DEFAULT_COMPRESSION_LEVEL = 1;

const MAGIC = 'TTSN';
const END_MAGIC = 'NSTT';
const ZSTD = 1;
/** Frames refer back by at most a block, so readers need no larger window. */
const WINDOW_LOG = 24;

export interface BlockHead {
  readonly kind: number;
  readonly worker: number;
  /** Index of the part's name. */
  readonly name: number;
  /** Size in the file, without the head. */
  readonly stored: number;
  /** Size of the content. */
  readonly length: number;
}

export function encodeHeader(phase: number): Uint8Array {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt16LE(SNAPSHOT_VERSION, 4);
  bytes.writeBigUInt64LE(BigInt(phase), 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 20)), 20);
  return bytes;
}

/** Checks the header and returns the phase. */
export function decodeHeader(bytes: Uint8Array, file: string): number {
  const header = asBuffer(bytes);
  const remedy = 'restore it with the version that wrote it';
  if (header.toString('latin1', 0, 4) !== MAGIC)
    throw foreignFormatError(
      file,
      0,
      `${file} is not a snapshot, because it does not start with ${MAGIC}; name a snapshot file`,
    );
  const version = header.readUInt16LE(4);
  // The version must be checked before the checksum, whose offset may differ in other versions.
  if (version !== SNAPSHOT_VERSION) {
    const formats = `has snapshot format ${version}, this Turntable reads format ${SNAPSHOT_VERSION}`;
    throw foreignFormatError(file, 4, `${file} ${formats}; ${remedy}`);
  }
  if (crc32(header.subarray(0, 20)) !== header.readUInt32LE(20))
    throw damagedError(file, 20, 'the checksum of the header');
  if (header.readUInt16LE(6) !== 0 || header.readUInt32LE(16) !== 0)
    throw foreignFormatError(file, 6, `${file} uses features that this version does not know; ${remedy}`);
  return toSafeInteger(header.readBigUInt64LE(8), file, 8);
}

/** Encodes a block. The payload is compressed if that makes it smaller. */
export function encodeBlock(
  { kind, worker, name }: Pick<BlockHead, 'kind' | 'worker' | 'name'>,
  content: Uint8Array,
  level: number,
): { head: Uint8Array; payload: Uint8Array } {
  const { payload, isSmaller } =
    content.length === 0 ? { payload: content, isSmaller: false } : compress(content, level);
  const head = Buffer.alloc(BLOCK_HEAD_BYTES);
  head.writeUInt8(kind, 0);
  head.writeUInt8(isSmaller ? ZSTD : 0, 1);
  head.writeUInt32LE(worker, 4);
  head.writeUInt32LE(name, 8);
  head.writeUInt32LE(payload.length, 12);
  head.writeUInt32LE(content.length, 16);
  head.writeUInt32LE(crc32(payload, crc32(head.subarray(0, 20))), 20);
  return { head, payload };
}

/** Compresses the content to one zstd frame if that is smaller. */
export function compress(content: Uint8Array, level: number): { payload: Uint8Array; isSmaller: boolean } {
  const compressed = zstdCompressSync(content, {
    params: { [constants.ZSTD_c_compressionLevel]: level },
    pledgedSrcSize: content.length,
  });
  const isSmaller = compressed.length < content.length;
  return { payload: isSmaller ? compressed : content, isSmaller };
}

/** Checks a block against its index entry and its checksum. */
export function checkBlock(bytes: Uint8Array, expected: BlockHead, file: string, offset: number): void {
  const head = asBuffer(bytes);
  if (crc32(head.subarray(BLOCK_HEAD_BYTES), crc32(head.subarray(0, 20))) !== head.readUInt32LE(20))
    throw damagedError(file, offset + 20, 'the checksum of a block');
  const isExpected =
    head.readUInt8(0) === expected.kind &&
    head.readUInt8(1) <= ZSTD &&
    head.readUInt16LE(2) === 0 &&
    head.readUInt32LE(4) === expected.worker &&
    head.readUInt32LE(8) === expected.name &&
    head.readUInt32LE(12) === expected.stored &&
    head.readUInt32LE(16) === expected.length &&
    (head.readUInt8(1) === ZSTD ? expected.stored < expected.length : expected.stored === expected.length);
  if (!isExpected) throw damagedError(file, offset, 'the block that the index names');
}

/** Decodes the content of a checked block, with at most as much memory as its head states. */
export function blockContent(bytes: Uint8Array, length: number, file: string, offset: number): Uint8Array {
  const payload = bytes.subarray(BLOCK_HEAD_BYTES);
  return bytes[1] === ZSTD ? decompress(payload, length, file, offset + BLOCK_HEAD_BYTES) : payload;
}

/** Decompresses a zstd frame of exactly `length` bytes of content. */
export function decompress(payload: Uint8Array, length: number, file: string, offset: number): Uint8Array {
  let content: Uint8Array;
  try {
    content = zstdDecompressSync(payload, {
      maxOutputLength: length,
      // With a byte more than needed, zlib detects the end at once.
      chunkSize: Math.max(64, length + 1),
      params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG },
    });
  } catch (error) {
    throw damagedError(file, offset, `a zstd frame of ${length} bytes of content`, error);
  }
  if (content.length !== length) throw damagedError(file, offset, `a zstd frame of ${length} bytes of content`);
  return content;
}

export function encodeEnd(indexOffset: number, fileLength: number): Uint8Array {
  const bytes = Buffer.alloc(END_BYTES);
  bytes.writeBigUInt64LE(BigInt(indexOffset), 0);
  bytes.writeBigUInt64LE(BigInt(fileLength), 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 16)), 16);
  bytes.write(END_MAGIC, 20, 'latin1');
  return bytes;
}

/** Checks the end mark and returns the offset of the index. */
export function decodeEnd(bytes: Uint8Array, size: number, file: string): number {
  const end = asBuffer(bytes);
  const endOffset = size - END_BYTES;
  if (end.toString('latin1', 20, 24) !== END_MAGIC)
    throw damagedError(file, endOffset + 20, 'the end mark: the file is cut off');
  if (crc32(end.subarray(0, 16)) !== end.readUInt32LE(16))
    throw damagedError(file, endOffset + 16, 'the checksum of the end mark');
  if (toSafeInteger(end.readBigUInt64LE(8), file, endOffset + 8) !== size)
    throw damagedError(file, endOffset + 8, `the length of the file, ${size}`);
  const indexOffset = toSafeInteger(end.readBigUInt64LE(0), file, endOffset);
  if (indexOffset < HEADER_BYTES || indexOffset > endOffset - BLOCK_HEAD_BYTES)
    throw damagedError(file, endOffset, 'the offset of the index');
  return indexOffset;
}

export function toSafeInteger(value: bigint, file: string, offset: number): number {
  if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw damagedError(file, offset, 'a number below 2^53');
  return Number(value);
}

export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
