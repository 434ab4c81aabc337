// Fixed parts of a packed recording; docs/internals/formats.md, "A packed recording", is the contract. The file is one sequence
// of blocks. The first lists the names and lengths of all files, so that a reader knows them before it writes anything.

import { crc32 } from 'node:zlib';
import {
  MANIFEST_FILE,
  MODULE_LOG_FILE,
  parseSnapshotFileName,
  parseSourceFileName,
  parseTraceFileName,
  SNAPSHOTS_DIRECTORY,
  SOURCES_DIRECTORY,
  TRACES_DIRECTORY,
} from '../file-names.ts';
import { damagedError, foreignFormatError, type RecordingError } from '../recording-error.ts';
import { compress, decompress, toSafeInteger, asBuffer } from '../snapshot-format.ts';

export const PACKED_VERSION = 2;
/** Packed files of version 1 have no module log. They are read up to the manifest, which names their writer. */
const MIN_PACKED_VERSION = 1;
export const PACKED_HEADER_BYTES = 12;
export const PACKED_BLOCK_HEAD_BYTES = 28;
/** Size of the SHA-256 of all bytes before it. */
export const DIGEST_BYTES = 32;
/** Content size of a written block. */
export const PACKED_BLOCK_BYTES = 1 << 20;
/** Maximum content size that readers accept, except for the first block. */
export const MAX_PACKED_BLOCK_BYTES = 16 << 20;
/** Maximum content size of the first block. */
export const MAX_DIRECTORY_BYTES = 64 << 20;

/** Maximum length of a name. Names of recordings have at most 76 characters. */
const MAX_NAME_CHARS = 100;

const MAGIC = 'TTRP';
const ZSTD = 1;
/** Content size below which compression is not tried. Most source files are larger. */
const MIN_COMPRESSED_BYTES = 64;

export interface PackedFile {
  /** Path in the recording's directory, with slashes. */
  readonly name: string;
  readonly length: number;
}

export function encodePackedHeader(): Uint8Array {
  const bytes = Buffer.alloc(PACKED_HEADER_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt16LE(PACKED_VERSION, 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
}

export function isPackedHeader(bytes: Uint8Array): boolean {
  return asBuffer(bytes).toString('latin1', 0, 4) === MAGIC;
}

export function checkPackedHeader(bytes: Uint8Array, file: string): void {
  const header = asBuffer(bytes);
  if (!isPackedHeader(bytes))
    throw foreignPackError(
      file,
      0,
      `is not a packed recording: it does not start with ${MAGIC}`,
      'name a file that turntable pack wrote',
    );
  const version = header.readUInt16LE(4);
  if (version < MIN_PACKED_VERSION || version > PACKED_VERSION)
    throw foreignPackError(file, 4, `is packed in format ${version}, this Turntable reads format ${PACKED_VERSION}`);
  if (crc32(header.subarray(0, 8)) !== header.readUInt32LE(8))
    throw damagedPackError(file, 8, 'the checksum of the header');
  if (header.readUInt16LE(6) !== 0) throw foreignPackError(file, 6, 'uses features that this version does not know');
}

export interface PackedBlock {
  readonly isCompressed: boolean;
  /** Size in the file, without the head. */
  readonly stored: number;
  /** Size of the content. */
  readonly length: number;
  readonly checksum: number;
}

/** @param contentOffset number of content bytes in the blocks before */
export function encodePackedBlock(content: Uint8Array, contentOffset: number, level: number): readonly Uint8Array[] {
  const { payload, isSmaller } =
    content.length < MIN_COMPRESSED_BYTES ? { payload: content, isSmaller: false } : compress(content, level);
  const head = Buffer.alloc(PACKED_BLOCK_HEAD_BYTES);
  head.writeUInt8(isSmaller ? ZSTD : 0, 0);
  head.writeUInt32LE(payload.length, 4);
  head.writeUInt32LE(content.length, 8);
  head.writeBigUInt64LE(BigInt(contentOffset), 12);
  head.writeUInt32LE(crc32(payload), 20);
  head.writeUInt32LE(crc32(head.subarray(0, 24)), 24);
  return [head, payload];
}

/** @param offset offset of the head in the file @param contentOffset the same as when the block was written */
export function decodePackedBlock(bytes: Uint8Array, file: string, offset: number, contentOffset: number): PackedBlock {
  const head = asBuffer(bytes);
  if (crc32(head.subarray(0, 24)) !== head.readUInt32LE(24))
    throw damagedPackError(file, offset + 24, 'the checksum of the head of a block');
  const compression = head.readUInt8(0);
  const [stored, length] = [head.readUInt32LE(4), head.readUInt32LE(8)];
  const isBlock =
    compression <= ZSTD &&
    head.readUIntLE(1, 3) === 0 &&
    length > 0 &&
    length <= (contentOffset === 0 ? MAX_DIRECTORY_BYTES : MAX_PACKED_BLOCK_BYTES) &&
    (compression === ZSTD ? stored < length : stored === length);
  if (!isBlock) throw damagedPackError(file, offset, 'the head of a block');
  if (toSafeInteger(head.readBigUInt64LE(12), file, offset + 12) !== contentOffset)
    throw damagedPackError(file, offset + 12, `the block of content from byte ${contentOffset} on`);
  return { isCompressed: compression === ZSTD, stored, length, checksum: head.readUInt32LE(20) };
}

/** Decodes the content of a block, with at most as much memory as its head states. */
export function decodePackedContent(block: PackedBlock, payload: Uint8Array, file: string, offset: number): Uint8Array {
  if (crc32(payload) !== block.checksum) throw damagedPackError(file, offset + 20, 'the checksum of a block');
  return block.isCompressed ? decompress(payload, block.length, file, offset + PACKED_BLOCK_HEAD_BYTES) : payload;
}

export function encodeDirectory(files: readonly PackedFile[]): Uint8Array {
  return Buffer.from(JSON.stringify(files.map(({ name, length }) => [name, length])));
}

/** Decodes the list of files. The manifest must be first, and every name valid, because names become paths. */
export function decodeDirectory(bytes: Uint8Array, file: string): PackedFile[] {
  const offset = PACKED_HEADER_BYTES + PACKED_BLOCK_HEAD_BYTES;
  let list: unknown;
  try {
    list = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw damagedPackError(file, offset, 'JSON in UTF-8', error);
  }
  if (!Array.isArray(list)) throw damagedPackError(file, offset, 'a list of files');
  const names = new Set<string>();
  let sum = 0;
  const files = list.map((each: unknown, i): PackedFile => {
    const [name, length] = Array.isArray(each) && each.length === 2 ? (each as unknown[]) : [];
    if (typeof name !== 'string' || !Number.isSafeInteger(length) || (length as number) < 0)
      throw damagedPackError(file, offset, `a name and a length as number ${i} of the list of files`);
    if (name.length > MAX_NAME_CHARS || names.has(name) || !(i === 0 ? name === MANIFEST_FILE : isRecordingFile(name)))
      throw damagedPackError(
        file,
        offset,
        `the name of a file of a recording, not ${JSON.stringify(name.slice(0, 200))}`,
      );
    names.add(name);
    sum += length as number;
    return { name, length: length as number };
  });
  if (files.length === 0) throw damagedPackError(file, offset, 'a manifest');
  if (!Number.isSafeInteger(sum)) throw damagedPackError(file, offset, 'files of less than 2^53 bytes');
  return files;
}

/** Returns whether the path is that of a recording's file, so that unpacking cannot write elsewhere. */
function isRecordingFile(path: string): boolean {
  if (path === MODULE_LOG_FILE) return true;
  const [directory, name, ...extraParts] = path.split('/');
  if (name === undefined || extraParts.length > 0) return false;
  if (directory === SOURCES_DIRECTORY) return parseSourceFileName(name) !== undefined;
  if (directory === SNAPSHOTS_DIRECTORY) return parseSnapshotFileName(name) !== undefined;
  return directory === TRACES_DIRECTORY && parseTraceFileName(name) !== undefined;
}

export function damagedPackError(file: string, offset: number, expected: string, cause?: unknown): RecordingError {
  return damagedError(file, offset, expected, cause, 'copy it again from where it was packed');
}

function foreignPackError(
  file: string,
  offset: number,
  reason: string,
  remedy = 'unpack it with the version that packed it',
): RecordingError {
  return foreignFormatError(file, offset, `${file} ${reason}; ${remedy}`);
}
