// The fixed parts of a packed recording; docs/formats.md, "A packed recording", is the contract. One sequence of blocks: what the first holds says which
// files follow and how long they are, so that a reader knows what it is in for before it writes anything.

import { crc32 } from 'node:zlib';
import { MANIFEST, parseSnapshotName, parseSourceName, parseTraceName, SNAPSHOTS, SOURCES, TRACES } from '../layout.ts';
import { damaged, foreign, type RecordingError } from '../recording-error.ts';
import { deflated, inflated, safe, viewOf } from '../snapshot-format.ts';

export const PACKED_VERSION = 1;
export const PACKED_HEADER = 12;
export const PACKED_HEAD = 28;
/** SHA-256 of all that is before it. */
export const DIGEST_LENGTH = 32;
/** Content of one block as our writer makes them. */
export const PACKED_BLOCK = 1 << 20;
/** Content of one block as readers take them, but for the first. */
export const PACKED_BLOCK_LIMIT = 16 << 20;
/** Content of the first one. */
export const DIRECTORY_LIMIT = 64 << 20;

const MAGIC = 'TTRP';
const ZSTD = 1;
/** Smaller than the source files that there are most of. */
const WORTH_COMPRESSING = 64;

export interface PackedFile {
  /** Below the recording's directory, with slashes. */
  readonly name: string;
  readonly length: number;
}

export function encodePackedHeader(): Uint8Array {
  const bytes = Buffer.alloc(PACKED_HEADER);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt16LE(PACKED_VERSION, 4);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 8)), 8);
  return bytes;
}

export function isPackedHeader(bytes: Uint8Array): boolean {
  return viewOf(bytes).toString('latin1', 0, 4) === MAGIC;
}

export function checkPackedHeader(bytes: Uint8Array, file: string): void {
  const header = viewOf(bytes);
  if (!isPackedHeader(bytes))
    throw other(file, 0, `is not a packed recording: it does not begin with ${MAGIC}`, 'give a file that was packed');
  const version = header.readUInt16LE(4);
  if (version !== PACKED_VERSION)
    throw other(file, 4, `is packed in format ${version}, this Turntable reads format ${PACKED_VERSION}`);
  if (crc32(header.subarray(0, 8)) !== header.readUInt32LE(8)) throw damagedPack(file, 8, 'the checksum of the header');
  if (header.readUInt16LE(6) !== 0) throw other(file, 6, 'uses features that this version does not know');
}

export interface PackedBlock {
  readonly isCompressed: boolean;
  /** Bytes in the file, without the head. */
  readonly stored: number;
  /** Bytes of content. */
  readonly length: number;
  readonly checksum: number;
}

/** @param place how many bytes of content the blocks before hold */
export function encodePackedBlock(content: Uint8Array, place: number, level: number): readonly Uint8Array[] {
  const { payload, isSmaller } =
    content.length < WORTH_COMPRESSING ? { payload: content, isSmaller: false } : deflated(content, level);
  const head = Buffer.alloc(PACKED_HEAD);
  head.writeUInt8(isSmaller ? ZSTD : 0, 0);
  head.writeUInt32LE(payload.length, 4);
  head.writeUInt32LE(content.length, 8);
  head.writeBigUInt64LE(BigInt(place), 12);
  head.writeUInt32LE(crc32(payload), 20);
  head.writeUInt32LE(crc32(head.subarray(0, 24)), 24);
  return [head, payload];
}

/** @param at where the head is, @param place as when it was written */
export function decodePackedBlock(bytes: Uint8Array, file: string, at: number, place: number): PackedBlock {
  const head = viewOf(bytes);
  if (crc32(head.subarray(0, 24)) !== head.readUInt32LE(24))
    throw damagedPack(file, at + 24, 'the checksum of the head of a block');
  const compression = head.readUInt8(0);
  const [stored, length] = [head.readUInt32LE(4), head.readUInt32LE(8)];
  const isBlock =
    compression <= ZSTD &&
    head.readUIntLE(1, 3) === 0 &&
    length > 0 &&
    length <= (place === 0 ? DIRECTORY_LIMIT : PACKED_BLOCK_LIMIT) &&
    (compression === ZSTD ? stored < length : stored === length);
  if (!isBlock) throw damagedPack(file, at, 'the head of a block');
  if (safe(head.readBigUInt64LE(12), file, at + 12) !== place)
    throw damagedPack(file, at + 12, `the block of content from byte ${place} on`);
  return { isCompressed: compression === ZSTD, stored, length, checksum: head.readUInt32LE(20) };
}

/** What a block holds. Takes as much memory as its head says, whatever the payload says. */
export function contentOfPackedBlock(block: PackedBlock, payload: Uint8Array, file: string, at: number): Uint8Array {
  if (crc32(payload) !== block.checksum) throw damagedPack(file, at + 20, 'the checksum of a block');
  return block.isCompressed ? inflated(payload, block.length, file, at + PACKED_HEAD) : payload;
}

export function encodeDirectory(files: readonly PackedFile[]): Uint8Array {
  return Buffer.from(JSON.stringify(files.map(({ name, length }) => [name, length])));
}

/** The manifest first, and nothing that is no file of a recording: what a name says is where something is going to be written. */
export function decodeDirectory(bytes: Uint8Array, file: string): PackedFile[] {
  const at = PACKED_HEADER + PACKED_HEAD;
  let list: unknown;
  try {
    list = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw damagedPack(file, at, 'JSON in UTF-8', error);
  }
  if (!Array.isArray(list)) throw damagedPack(file, at, 'a list of files');
  const names = new Set<string>();
  let sum = 0;
  const files = list.map((each: unknown, i): PackedFile => {
    const [name, length] = Array.isArray(each) && each.length === 2 ? (each as unknown[]) : [];
    if (typeof name !== 'string' || !Number.isSafeInteger(length) || (length as number) < 0)
      throw damagedPack(file, at, `a name and a length as number ${i} of the list of files`);
    if (names.has(name) || !(i === 0 ? name === MANIFEST : isFileOfRecording(name)))
      throw damagedPack(file, at, `the name of a file of a recording, not ${JSON.stringify(name.slice(0, 200))}`);
    names.add(name);
    sum += length as number;
    return { name, length: length as number };
  });
  if (files.length === 0) throw damagedPack(file, at, 'a manifest');
  if (!Number.isSafeInteger(sum)) throw damagedPack(file, at, 'files of less than 2^53 bytes');
  return files;
}

/** Names that are written nowhere but into a recording. */
function isFileOfRecording(path: string): boolean {
  const [directory, name, ...rest] = path.split('/');
  if (name === undefined || rest.length > 0) return false;
  if (directory === SOURCES) return parseSourceName(name) !== undefined;
  if (directory === SNAPSHOTS) return parseSnapshotName(name) !== undefined;
  return directory === TRACES && parseTraceName(name) !== undefined;
}

export function damagedPack(file: string, offset: number, expected: string, cause?: unknown): RecordingError {
  return damaged(file, offset, expected, cause, 'get it again from where it was packed');
}

function other(
  file: string,
  offset: number,
  why: string,
  remedy = 'unpack it with the version that packed it',
): RecordingError {
  return foreign(file, offset, `${file} ${why}; ${remedy}`);
}
