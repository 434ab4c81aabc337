// Fixed parts of a trace segment and the numbers of its events; docs/internals/formats.md, "A trace", is the contract. Head and
// payload have separate checksums. A valid head tells how much should follow, so a reader can tell a file that a kill
// cut off from a damaged one.

import { crc32 } from 'node:zlib';
import { damagedError, foreignFormatError, type RecordingError } from '../recording-error.ts';
import { MAX_BLOCK_BYTES, compress, decompress, toSafeInteger, asBuffer } from '../snapshot-format.ts';

export const TRACE_VERSION = 5;
export const TRACE_HEADER_BYTES = 32;
export const TRACE_BLOCK_HEAD_BYTES = 28;
export const EVENTS_BLOCK = 1;
export const MARK_BLOCK = 2;
/** Content size of an end mark: what follows, and the phase of the next segment. */
export const MARK_BYTES = 9;
/** What follows a segment: the worker ended normally, continues in another segment, was lost, or ran out of memory. */
export const FOLLOWS = { end: 0, segment: 1, loss: 2, outOfMemory: 3 } as const;
/** Maximum size of an event, including its value. */
export const MAX_EVENT_BYTES = 64 << 20;
/** Maximum number of items in a value, summed over all its lists and objects. */
export const MAX_VALUE_ITEMS = 1 << 20;
/** Maximum nesting of a value. */
export const MAX_VALUE_DEPTH = 100;
/** Maximum number of known texts in a segment; later ones are written out each time. */
export const MAX_KNOWN_TEXTS = 4096;
/** Maximum length of a known text in UTF-16 units. Longer ones are unlikely to recur. */
export const MAX_KNOWN_TEXT_LENGTH = 256;

/** Tags of events in the upper bits of the first byte; the kind defines the lower bits. */
export const MESSAGES_TAG = 0x80;
export const ENTRY_TAG = 0x40;
/** Tag of a scheduler event if its four lower bits are zero; otherwise of an outcome, see `OUTCOME_FORM`. */
export const SCHEDULER_EVENT_TAG = 0x20;
/** Tag of the progress of the worker when the events before it were written. */
export const PROGRESS_TAG = 0x00;
/** Tag of the output before an event. */
export const OUTPUT_TAG = 0x30;
/** Encodings of an outcome's value, in the upper bits of its first byte. */
export const OUTCOME_FORM = { value: 0x00, integer: 0x10, nanoseconds: 0x20, bigint: 0x30 } as const;
/** Tag of an outcome whose source does not fit into four bits. */
export const LARGE_SOURCE_OUTCOME = 0x10;
/** Number of sources that fit into four bits. */
export const INLINE_SOURCES = 16;
/** Upper bound of a delta, so that integers stay exact. */
export const MAX_DELTA = 2 ** 51;

const MAGIC = 'TTTR';
const ZSTD = 1;
/** Content size below which zstd gains nothing. */
const MIN_COMPRESSED_BYTES = 64;

export interface SegmentId {
  readonly phase: number;
  readonly worker: number;
  readonly epoch: number;
}

export interface SegmentHeader extends SegmentId {
  /** Number of workers that had been lost when this worker started. Differs among the workers that replaced others. */
  readonly earlierLosses: number;
}

export function encodeTraceHeader({ phase, worker, epoch, earlierLosses }: SegmentHeader): Uint8Array {
  const bytes = Buffer.alloc(TRACE_HEADER_BYTES);
  bytes.write(MAGIC, 0, 'latin1');
  bytes.writeUInt16LE(TRACE_VERSION, 4);
  bytes.writeBigUInt64LE(BigInt(phase), 8);
  bytes.writeUInt32LE(worker, 16);
  bytes.writeUInt32LE(epoch, 20);
  bytes.writeUInt32LE(earlierLosses, 24);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 28)), 28);
  return bytes;
}

export function encodeProgress(progress: number): Uint8Array {
  const bytes = [PROGRESS_TAG];
  let rest = progress;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Uint8Array.from([...bytes, rest]);
}

export function decodeTraceHeader(bytes: Uint8Array, file: string): SegmentHeader {
  const header = asBuffer(bytes);
  if (header.toString('latin1', 0, 4) !== MAGIC)
    throw foreignTraceError(file, 0, `is not a segment of a trace: it does not start with ${MAGIC}`);
  const version = header.readUInt16LE(4);
  if (version !== TRACE_VERSION)
    throw foreignTraceError(file, 4, `has trace format ${version}, this Turntable reads format ${TRACE_VERSION}`);
  if (crc32(header.subarray(0, 28)) !== header.readUInt32LE(28))
    throw damagedTraceError(file, 28, 'the checksum of the header');
  if (header.readUInt16LE(6) !== 0) throw foreignTraceError(file, 6, 'uses features that this version does not know');
  return {
    phase: toSafeInteger(header.readBigUInt64LE(8), file, 8),
    worker: header.readUInt32LE(16),
    epoch: header.readUInt32LE(20),
    earlierLosses: header.readUInt32LE(24),
  };
}

export interface TraceBlock {
  readonly kind: number;
  readonly isCompressed: boolean;
  /** Size in the file, without the head. */
  readonly stored: number;
  /** Size of the content. */
  readonly length: number;
  readonly checksum: number;
}

/** @param eventOffset number of event bytes in the blocks before */
export function encodeTraceBlock(kind: number, content: Uint8Array, eventOffset: number, level: number): Uint8Array[] {
  const { payload, isSmaller } =
    content.length < MIN_COMPRESSED_BYTES ? { payload: content, isSmaller: false } : compress(content, level);
  const head = Buffer.alloc(TRACE_BLOCK_HEAD_BYTES);
  head.writeUInt8(kind, 0);
  head.writeUInt8(isSmaller ? ZSTD : 0, 1);
  head.writeUInt32LE(payload.length, 4);
  head.writeUInt32LE(content.length, 8);
  head.writeBigUInt64LE(BigInt(eventOffset), 12);
  head.writeUInt32LE(crc32(payload), 20);
  head.writeUInt32LE(crc32(head.subarray(0, 24)), 24);
  return [head, payload];
}

/** @param offset offset of the head in the file @param eventOffset the same as when the block was written */
export function decodeTraceBlock(bytes: Uint8Array, file: string, offset: number, eventOffset: number): TraceBlock {
  const head = asBuffer(bytes);
  if (crc32(head.subarray(0, 24)) !== head.readUInt32LE(24))
    throw damagedTraceError(file, offset + 24, 'the checksum of the head of a block');
  const kind = head.readUInt8(0);
  const compression = head.readUInt8(1);
  const stored = head.readUInt32LE(4);
  const length = head.readUInt32LE(8);
  const isBlock =
    (kind === EVENTS_BLOCK || kind === MARK_BLOCK) &&
    compression <= ZSTD &&
    head.readUInt16LE(2) === 0 &&
    length <= MAX_BLOCK_BYTES &&
    (compression === ZSTD ? stored < length : stored === length);
  if (!isBlock) throw damagedTraceError(file, offset, 'the head of a block');
  if (toSafeInteger(head.readBigUInt64LE(12), file, offset + 12) !== eventOffset)
    throw damagedTraceError(file, offset + 12, `the block of events from byte ${eventOffset} on`);
  return { kind, isCompressed: compression === ZSTD, stored, length, checksum: head.readUInt32LE(20) };
}

/** Decodes the content of a block, with at most as much memory as its head states. */
export function decodeTraceContent(block: TraceBlock, payload: Uint8Array, file: string, offset: number): Uint8Array {
  if (crc32(payload) !== block.checksum) throw damagedTraceError(file, offset + 20, 'the checksum of a block');
  return block.isCompressed ? decompress(payload, block.length, file, offset + TRACE_BLOCK_HEAD_BYTES) : payload;
}

export function damagedTraceError(file: string, offset: number, expected: string): RecordingError {
  return damagedError(
    file,
    offset,
    expected,
    undefined,
    'the trace can be replayed up to here, and from any later snapshot',
  );
}

function foreignTraceError(file: string, offset: number, reason: string): RecordingError {
  return foreignFormatError(file, offset, `${file} ${reason}; replay it with the version that wrote it`);
}
