// Serialized run index: a header, a description in JSON, and the words of all columns as they are in memory. Decoding
// returns the index that was encoded, or undefined for any other bytes; then the caller builds the index again.
import { crc32 } from 'node:zlib';
import { NumberList } from './number-list.ts';
import { TASK_LOG_VERSION } from '../task-log.ts';
import { RunIndex, type RunIndexTables } from './run-index.ts';
import { TaskColumns, UndeliveredColumns, RunEventColumns } from './thread-task-log.ts';
import type { ThreadRows, WordSource } from './thread-task-log.ts';

const RUN_INDEX_MAGIC = 0x4b_53_54_54; // "TTSK"
/** Offset after the checksum, which covers all bytes from here on. */
const CHECKSUM_START = 12;
const HEADER_BYTES = 16;
const WORD_ALIGNMENT = 8;

interface IndexDescription {
  readonly texts: readonly string[];
  /** Without `end` if it is undefined, since JSON omits it. */
  readonly threads: readonly Omit<ThreadRows, 'runtimeSteps' | 'phases' | 'phaseSteps'>[];
  /** Number of bytes of each column. */
  readonly sizes: readonly number[];
  readonly metadata: unknown;
}

export interface CachedRunIndex {
  readonly runIndex: RunIndex;
  readonly metadata: unknown;
}

function columnsOf(tables: RunIndexTables): (Uint8Array | Uint32Array | Float64Array)[] {
  const ofThreads = tables.threads.flatMap((each) => [
    each.runtimeSteps.words,
    each.phases.words,
    each.phaseSteps.words,
  ]);
  return [...tables.columns.words, ...tables.events.words, ...tables.undelivered.words, ...ofThreads, tables.order];
}

/** @param metadata plain data that is stored with the index */
export function encodeRunIndex({ tables }: RunIndex, metadata: unknown): Uint8Array {
  const columns = columnsOf(tables);
  const threads = tables.threads.map(({ worker, epoch, firstRow, count, end, traceEvents }) => ({
    worker,
    epoch,
    firstRow,
    count,
    end,
    traceEvents,
  }));
  const sizes = columns.map(({ byteLength }) => byteLength);
  const description = Buffer.from(JSON.stringify({ texts: tables.texts, threads, sizes, metadata }));
  const begin = alignUp(HEADER_BYTES + description.length);
  const bytes = Buffer.alloc(sizes.reduce((offset, size) => alignUp(offset + size), begin));
  bytes.set(description, HEADER_BYTES);
  let offset = begin;
  for (const each of columns) {
    bytes.set(new Uint8Array(each.buffer, each.byteOffset, each.byteLength), offset);
    offset = alignUp(offset + each.byteLength);
  }
  bytes.writeUInt32LE(RUN_INDEX_MAGIC, 0);
  bytes.writeUInt32LE(TASK_LOG_VERSION, 4);
  bytes.writeUInt32LE(description.length, CHECKSUM_START);
  bytes.writeUInt32LE(crc32(bytes.subarray(CHECKSUM_START)), CHECKSUM_START - 4);
  return bytes;
}

function alignUp(offset: number): number {
  return Math.ceil(offset / WORD_ALIGNMENT) * WORD_ALIGNMENT;
}

/** Decodes a run index; undefined if the bytes are invalid. @param bytes memory that the index may keep using */
export function decodeRunIndex(bytes: Uint8Array): CachedRunIndex | undefined {
  // Typed arrays need aligned memory.
  const { buffer, byteOffset } = bytes.byteOffset % WORD_ALIGNMENT === 0 ? bytes : new Uint8Array(bytes);
  const whole = Buffer.from(buffer, byteOffset, bytes.length);
  if (
    whole.length < HEADER_BYTES ||
    whole.readUInt32LE(0) !== RUN_INDEX_MAGIC ||
    whole.readUInt32LE(4) !== TASK_LOG_VERSION
  )
    return undefined;
  if (crc32(whole.subarray(CHECKSUM_START)) !== whole.readUInt32LE(CHECKSUM_START - 4)) return undefined;
  const length = whole.readUInt32LE(CHECKSUM_START);
  const { texts, threads, sizes, metadata } = JSON.parse(
    whole.toString('utf8', HEADER_BYTES, HEADER_BYTES + length),
  ) as IndexDescription;
  let offset = alignUp(HEADER_BYTES + length);
  let nextColumn = 0;
  const readColumn: WordSource = (type) => {
    const size = sizes[nextColumn++] ?? 0;
    const columns = new type(whole.buffer, whole.byteOffset + offset, size / type.BYTES_PER_ELEMENT);
    offset = alignUp(offset + size);
    return columns;
  };
  const u32 = (): NumberList<Uint32Array> => new NumberList(Uint32Array, readColumn(Uint32Array));
  const columns = new TaskColumns(readColumn);
  const events = new RunEventColumns(readColumn);
  const undelivered = new UndeliveredColumns(readColumn);
  const rows = threads.map((thread) => ({ ...thread, runtimeSteps: u32(), phases: u32(), phaseSteps: u32() }));
  const order = readColumn(Uint32Array) ?? new Uint32Array();
  return { runIndex: new RunIndex({ columns, events, undelivered, texts, threads: rows, order }), metadata };
}
