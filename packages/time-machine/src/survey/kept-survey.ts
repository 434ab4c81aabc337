// A survey as bytes, to be had again without running anything: a head, a description in JSON, and the words of all columns as they stand in memory. Any bytes give
// what was kept, or nothing: whoever finds nothing makes it anew.
import { crc32 } from 'node:zlib';
import { Numbers } from './numbers.ts';
import { NOTES_VERSION } from '../notes.ts';
import { Survey, type SurveyParts } from './survey.ts';
import { Columns, Left, Marks, type ThreadRows, type WordSource } from './thread-notes.ts';

const MAGIC = 0x4b_53_54_54; // "TTSK"
/** From here on all is in the checksum, which stands before it. */
const SUMMED = 12;
const HEAD = 16;
/** Where words begin. */
const ALIGNED = 8;

interface Described {
  readonly texts: readonly string[];
  /** `end` is left out where it is undefined. */
  readonly threads: readonly Omit<ThreadRows, 'between' | 'phases' | 'phaseSteps'>[];
  /** Bytes of each of the lists of words, in turn. */
  readonly sizes: readonly number[];
  readonly about: unknown;
}

export interface Kept {
  readonly survey: Survey;
  readonly about: unknown;
}

function wordsOf({ columns, marks, left, threads, order }: SurveyParts): (Uint8Array | Uint32Array | Float64Array)[] {
  const ofThreads = threads.flatMap(({ between, phases, phaseSteps }) => [
    between.words,
    phases.words,
    phaseSteps.words,
  ]);
  return [...columns.words, ...marks.words, ...left.words, ...ofThreads, order];
}

/** @param about plain data that is kept with it */
export function bytesOfSurvey({ parts }: Survey, about: unknown): Uint8Array {
  const words = wordsOf(parts);
  const threads = parts.threads.map(({ worker, life, row, count, end, events }) => ({
    worker,
    life,
    row,
    count,
    end,
    events,
  }));
  const sizes = words.map(({ byteLength }) => byteLength);
  const description = Buffer.from(JSON.stringify({ texts: parts.texts, threads, sizes, about }));
  const begin = aligned(HEAD + description.length);
  const bytes = Buffer.alloc(sizes.reduce((at, size) => aligned(at + size), begin));
  bytes.set(description, HEAD);
  let at = begin;
  for (const each of words) {
    bytes.set(new Uint8Array(each.buffer, each.byteOffset, each.byteLength), at);
    at = aligned(at + each.byteLength);
  }
  bytes.writeUInt32LE(MAGIC, 0);
  bytes.writeUInt32LE(NOTES_VERSION, 4);
  bytes.writeUInt32LE(description.length, SUMMED);
  bytes.writeUInt32LE(crc32(bytes.subarray(SUMMED)), SUMMED - 4);
  return bytes;
}

function aligned(at: number): number {
  return Math.ceil(at / ALIGNED) * ALIGNED;
}

/** @param given whose memory it may keep */
export function keptSurvey(given: Uint8Array): Kept | undefined {
  // Words stand in memory where their size divides the place.
  const { buffer, byteOffset } = given.byteOffset % ALIGNED === 0 ? given : new Uint8Array(given);
  const whole = Buffer.from(buffer, byteOffset, given.length);
  if (whole.length < HEAD || whole.readUInt32LE(0) !== MAGIC || whole.readUInt32LE(4) !== NOTES_VERSION)
    return undefined;
  if (crc32(whole.subarray(SUMMED)) !== whole.readUInt32LE(SUMMED - 4)) return undefined;
  const length = whole.readUInt32LE(SUMMED);
  const { texts, threads, sizes, about } = JSON.parse(whole.toString('utf8', HEAD, HEAD + length)) as Described;
  let at = aligned(HEAD + length);
  let next = 0;
  const source: WordSource = (type) => {
    const size = sizes[next++] ?? 0;
    const words = new type(whole.buffer, whole.byteOffset + at, size / type.BYTES_PER_ELEMENT);
    at = aligned(at + size);
    return words;
  };
  const u32 = (): Numbers<Uint32Array> => new Numbers(Uint32Array, source(Uint32Array));
  const columns = new Columns(source);
  const marks = new Marks(source);
  const left = new Left(source);
  const rows = threads.map((thread) => ({ ...thread, between: u32(), phases: u32(), phaseSteps: u32() }));
  const order = source(Uint32Array) ?? new Uint32Array();
  return { survey: new Survey({ columns, marks, left, texts, threads: rows, order }), about };
}
