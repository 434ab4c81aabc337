// Buffers that Node cuts out of pools. Where in a pool one lies, and beside what, is history of the process; which of them overlap is
// state. So a pool is written as chunks, each a run of bytes that captured views cover without a gap, and every view says in which chunk
// it begins and where. That is known when all views have been met, so it stands in the footer, in the order of the views.
// A pool that the program holds itself, as an ArrayBuffer, is one chunk.

import { bufferLength, copyInto, SafeMap, weakSetAdd, weakSetHas } from './intrinsics.ts';
import type { Sink } from './sink.ts';
import type { Source } from './source.ts';

interface Slice {
  readonly pool: ArrayBuffer;
  readonly from: number;
  readonly to: number;
  chunk: Chunk | undefined;
}

interface Chunk {
  readonly pool: ArrayBuffer;
  readonly from: number;
  to: number;
  readonly slices: Slice[];
  number: number;
}

/** What any view can begin at. */
const ALIGNMENT = 8;

export class PoolWriter {
  readonly #slices: Slice[] = [];
  readonly #pools = new SafeMap<ArrayBuffer, Slice[]>();

  add(pool: ArrayBuffer, from: number, length: number): void {
    const slice: Slice = { pool, from, to: from + length, chunk: undefined };
    this.#slices[this.#slices.length] = slice;
    const slices = this.#pools.get(pool);
    if (slices === undefined) this.#pools.set(pool, [slice]);
    else slices[slices.length] = slice;
  }

  write(sink: Sink): void {
    this.#pools.forEach(cut);
    const chunks: Chunk[] = [];
    for (let i = 0; i < this.#slices.length; i++) {
      const chunk = (this.#slices[i] as Slice).chunk as Chunk;
      if (chunk.number >= 0) continue;
      chunk.number = chunks.length;
      chunks[chunks.length] = chunk;
    }
    sink.varint(chunks.length);
    for (let i = 0; i < chunks.length; i++) writeChunk(sink, chunks[i] as Chunk);
    sink.varint(this.#slices.length);
    for (let i = 0; i < this.#slices.length; i++) {
      const { chunk, from } = this.#slices[i] as Slice & { chunk: Chunk };
      sink.varint(chunk.number);
      sink.varint(from - chunk.from);
    }
  }
}

/** Gives the slices of a pool their chunks. Empty ones cover nothing, and stand alone. */
function cut(slices: Slice[]): void {
  sortByStart(slices);
  let last: Chunk | undefined;
  for (let i = 0; i < slices.length; i++) {
    const slice = slices[i] as Slice;
    const { pool, from, to } = slice;
    const isEmpty = from === to;
    if (last === undefined || from >= last.to || isEmpty) {
      const chunk: Chunk = { pool, from: from - (from % ALIGNMENT), to, slices: [], number: -1 };
      if (!isEmpty) last = chunk;
      slice.chunk = chunk;
    } else {
      if (to > last.to) last.to = to;
      slice.chunk = last;
    }
    slice.chunk.slices[slice.chunk.slices.length] = slice;
  }
}

/** Few of them, mostly in order, and no method of the program's. */
function sortByStart(slices: Slice[]): void {
  for (let i = 1; i < slices.length; i++) {
    const each = slices[i] as Slice;
    let at = i - 1;
    while (at >= 0 && (slices[at] as Slice).from > each.from) {
      slices[at + 1] = slices[at] as Slice;
      at--;
    }
    slices[at + 1] = each;
  }
}

/** What stands before the first view, to keep it aligned, is nobody's. */
function writeChunk(sink: Sink, { pool, from, to, slices }: Chunk): void {
  const padding = (slices[0] as Slice).from - from;
  sink.varint(to - from);
  sink.blob(new Uint8Array(padding));
  sink.blob(new Uint8Array(pool, from + padding, to - from - padding));
}

/** Written again, they are what they were. */
const chunksMade = new WeakSet<ArrayBuffer>();

export function isChunk(buffer: ArrayBuffer): boolean {
  return weakSetHas(chunksMade, buffer);
}

export class PoolReader {
  readonly #chunks: ArrayBuffer[] = [];
  /** Chunk and offset of each view, in order. */
  readonly #slices: number[] = [];
  #next = 0;

  read(source: Source): void {
    const chunks = source.count(1, 'chunks of pools');
    for (let i = 0; i < chunks; i++) {
      const length = source.count(1, 'bytes of a pool');
      const chunk = new ArrayBuffer(length);
      weakSetAdd(chunksMade, chunk);
      copyInto(new Uint8Array(chunk), source.span(length), 0);
      this.#chunks[i] = chunk;
    }
    const slices = source.count(2, 'views of pools');
    for (let i = 0; i < slices; i++) {
      const chunk = source.index(chunks, 'the number of a chunk');
      this.#slices[2 * i] = chunk;
      this.#slices[2 * i + 1] = source.index(
        bufferLength(this.#chunks[chunk] as ArrayBuffer) + 1,
        'an offset in a chunk',
      );
    }
  }

  /** Where the next view begins. */
  next(source: Source): { buffer: ArrayBuffer; offset: number } {
    const buffer = this.#chunks[this.#slices[this.#next] ?? -1];
    if (buffer === undefined) throw source.corrupt('a view of a pool less');
    const offset = this.#slices[this.#next + 1] as number;
    this.#next += 2;
    return { buffer, offset };
  }
}
