// The fixed parts of a trace's segment and the numbers of its events; docs/formats.md, "A trace", is the contract. A head and its payload have
// checksums of their own, so that a file that was cut off, which is how every process that is killed leaves it, is told from one that is
// damaged: a head that is right says how much should have followed.

import { crc32 } from 'node:zlib';
import { damaged, foreign, type RecordingError } from '../recording-error.ts';
import { BLOCK_LIMIT, deflated, inflated, safe, viewOf } from '../snapshot-format.ts';

export const TRACE_VERSION = 2;
export const TRACE_HEADER = 28;
export const TRACE_BLOCK_HEAD = 28;
export const EVENTS_BLOCK = 1;
export const MARK_BLOCK = 2;
/** Of what it holds: whether another segment follows, and the phase of that. */
export const MARK_LENGTH = 9;
/** Bytes of one event: those of a value that was asked for, mostly. */
export const EVENT_LIMIT = 64 << 20;
/** Of a value, its lists and objects taken together. */
export const ITEM_LIMIT = 1 << 20;
/** How deep a value may be nested. */
export const DEPTH_LIMIT = 100;
/** Of a segment: those that come later are written out each time. */
export const TEXTS_LIMIT = 4096;
/** In UTF-16 units. Longer ones are not likely to come again. */
export const TEXT_LENGTH_LIMIT = 256;

/** Events by their first byte: the kind is in the upper bits, the lower ones are what the kind says they are. */
export const MESSAGES = 0x80;
export const ENTRY = 0x40;
/** The lower four bits are 0; with a source in them it is an outcome as `FORM` says. */
export const HAPPENED = 0x20;
/** How an outcome's value is written. */
export const FORM = { value: 0x00, integer: 0x10, nanoseconds: 0x20, bigint: 0x30 } as const;
/** An outcome of a source that does not fit into four bits. */
export const OUTCOME_OF_OTHERS = 0x10;
/** Sources that fit. */
export const SOURCES_INSIDE = 16;
/** What may be added to an integer and still be told exactly. */
export const DELTA_LIMIT = 2 ** 51;

const MAGIC = 'TTTR';
const ZSTD = 1;
/** zstd has nothing to gain from less. */
const WORTH_COMPRESSING = 64;

export interface SegmentName {
  readonly phase: number;
  readonly worker: number;
  readonly life: number;
}

export function encodeTraceHeader({ phase, worker, life }: SegmentName): Uint8Array {
  const bytes = Buffer.alloc(TRACE_HEADER);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt16LE(TRACE_VERSION, 4);
  bytes.writeBigUInt64LE(BigInt(phase), 8);
  bytes.writeUInt32LE(worker, 16);
  bytes.writeUInt32LE(life, 20);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 24)), 24);
  return bytes;
}

export function decodeTraceHeader(bytes: Uint8Array, file: string): SegmentName {
  const header = viewOf(bytes);
  if (header.toString('latin1', 0, 4) !== MAGIC)
    throw other(file, 0, `is not a segment of a trace: it does not begin with ${MAGIC}`);
  const version = header.readUInt16LE(4);
  if (version !== TRACE_VERSION)
    throw other(file, 4, `has trace format ${version}, this Turntable reads format ${TRACE_VERSION}`);
  if (crc32(header.subarray(0, 24)) !== header.readUInt32LE(24))
    throw damagedTrace(file, 24, 'the checksum of the header');
  if (header.readUInt16LE(6) !== 0) throw other(file, 6, 'uses features that this version does not know');
  return {
    phase: safe(header.readBigUInt64LE(8), file, 8),
    worker: header.readUInt32LE(16),
    life: header.readUInt32LE(20),
  };
}

export interface TraceBlock {
  readonly kind: number;
  readonly isCompressed: boolean;
  /** Bytes in the file, without the head. */
  readonly stored: number;
  /** Bytes of content. */
  readonly length: number;
  readonly checksum: number;
}

/** @param place how many bytes of events the blocks before hold */
export function encodeTraceBlock(kind: number, content: Uint8Array, place: number, level: number): Uint8Array[] {
  const { payload, isSmaller } =
    content.length < WORTH_COMPRESSING ? { payload: content, isSmaller: false } : deflated(content, level);
  const head = Buffer.alloc(TRACE_BLOCK_HEAD);
  head.writeUInt8(kind, 0);
  head.writeUInt8(isSmaller ? ZSTD : 0, 1);
  head.writeUInt32LE(payload.length, 4);
  head.writeUInt32LE(content.length, 8);
  head.writeBigUInt64LE(BigInt(place), 12);
  head.writeUInt32LE(crc32(payload), 20);
  head.writeUInt32LE(crc32(head.subarray(0, 24)), 24);
  return [head, payload];
}

/** @param at where the head is, @param place as when it was written */
export function decodeTraceBlock(bytes: Uint8Array, file: string, at: number, place: number): TraceBlock {
  const head = viewOf(bytes);
  if (crc32(head.subarray(0, 24)) !== head.readUInt32LE(24))
    throw damagedTrace(file, at + 24, 'the checksum of the head of a block');
  const kind = head.readUInt8(0);
  const compression = head.readUInt8(1);
  const stored = head.readUInt32LE(4);
  const length = head.readUInt32LE(8);
  const isBlock =
    (kind === EVENTS_BLOCK || kind === MARK_BLOCK) &&
    compression <= ZSTD &&
    head.readUInt16LE(2) === 0 &&
    length <= BLOCK_LIMIT &&
    (compression === ZSTD ? stored < length : stored === length);
  if (!isBlock) throw damagedTrace(file, at, 'the head of a block');
  if (safe(head.readBigUInt64LE(12), file, at + 12) !== place)
    throw damagedTrace(file, at + 12, `the block of events from byte ${place} on`);
  return { kind, isCompressed: compression === ZSTD, stored, length, checksum: head.readUInt32LE(20) };
}

/** What a block holds. Takes as much memory as its head says, whatever the payload says. */
export function contentOfTraceBlock(block: TraceBlock, payload: Uint8Array, file: string, at: number): Uint8Array {
  if (crc32(payload) !== block.checksum) throw damagedTrace(file, at + 20, 'the checksum of a block');
  return block.isCompressed ? inflated(payload, block.length, file, at + TRACE_BLOCK_HEAD) : payload;
}

export function damagedTrace(file: string, offset: number, expected: string): RecordingError {
  return damaged(
    file,
    offset,
    expected,
    undefined,
    'what came before can be replayed, and what comes behind a later snapshot',
  );
}

function other(file: string, offset: number, why: string): RecordingError {
  return foreign(file, offset, `${file} ${why}; replay it with the version that wrote it`);
}
