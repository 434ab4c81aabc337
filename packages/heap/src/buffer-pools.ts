// Buffers that Node cuts out of pools. Where in a pool one lies, and beside what, is history of the process; which of them overlap is
// state. So a pool is written as chunks, each a run of bytes that captured views cover without a gap, and every view says in which chunk
// it begins and where. That is known when all views have been met, so it stands in the footer, in the order of the views.
// The bytes are those of the moment when the pool was first met: what other views of it have, nobody has changed since the cut.
// A pool that the program holds itself, as an ArrayBuffer, is one chunk.

import { bufferLength, copyInto, SafeMap, weakSetAdd, weakSetHas } from './intrinsics.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { ByteReader } from './byte-reader.ts';

interface PoolCopy {
  /** As they were when the pool was met. */
  readonly bytes: Uint8Array;
  readonly slices: PoolSlice[];
}

interface PoolSlice {
  readonly from: number;
  readonly to: number;
  chunk: PoolChunk | undefined;
}

interface PoolChunk {
  readonly bytes: Uint8Array;
  readonly from: number;
  to: number;
  readonly slices: PoolSlice[];
  number: number;
}

/** What any view can begin at. */
const ALIGNMENT = 8;

export class PoolWriter {
  readonly #slices: PoolSlice[] = [];
  readonly #pools = new SafeMap<ArrayBuffer, PoolCopy>();

  add(pool: ArrayBuffer, from: number, length: number): void {
    const slice: PoolSlice = { from, to: from + length, chunk: undefined };
    this.#slices[this.#slices.length] = slice;
    let copy = this.#pools.get(pool);
    if (copy === undefined) {
      copy = { bytes: new Uint8Array(bufferLength(pool)), slices: [] };
      copyInto(copy.bytes, new Uint8Array(pool), 0);
      this.#pools.set(pool, copy);
    }
    copy.slices[copy.slices.length] = slice;
  }

  write(sink: ByteWriter): void {
    this.#pools.forEach(assignChunks);
    const chunks: PoolChunk[] = [];
    for (let i = 0; i < this.#slices.length; i++) {
      const chunk = (this.#slices[i] as PoolSlice).chunk as PoolChunk;
      if (chunk.number >= 0) continue;
      chunk.number = chunks.length;
      chunks[chunks.length] = chunk;
    }
    sink.varint(chunks.length);
    for (let i = 0; i < chunks.length; i++) writeChunk(sink, chunks[i] as PoolChunk);
    sink.varint(this.#slices.length);
    for (let i = 0; i < this.#slices.length; i++) {
      const { chunk, from } = this.#slices[i] as PoolSlice & { chunk: PoolChunk };
      sink.varint(chunk.number);
      sink.varint(from - chunk.from);
    }
  }
}

/** Gives the slices of a pool their chunks. Empty ones cover nothing, and stand alone. */
function assignChunks({ bytes, slices }: PoolCopy): void {
  sortByStart(slices);
  let lastChunk: PoolChunk | undefined;
  for (let i = 0; i < slices.length; i++) {
    const slice = slices[i] as PoolSlice;
    const { from, to } = slice;
    const isEmpty = from === to;
    if (lastChunk === undefined || from >= lastChunk.to || isEmpty) {
      const chunk: PoolChunk = { bytes, from: from - (from % ALIGNMENT), to, slices: [], number: -1 };
      if (!isEmpty) lastChunk = chunk;
      slice.chunk = chunk;
    } else {
      if (to > lastChunk.to) lastChunk.to = to;
      slice.chunk = lastChunk;
    }
    slice.chunk.slices[slice.chunk.slices.length] = slice;
  }
}

/** Few of them, mostly in order, and no method of the program's. */
function sortByStart(slices: PoolSlice[]): void {
  for (let i = 1; i < slices.length; i++) {
    const slice = slices[i] as PoolSlice;
    let index = i - 1;
    while (index >= 0 && (slices[index] as PoolSlice).from > slice.from) {
      slices[index + 1] = slices[index] as PoolSlice;
      index--;
    }
    slices[index + 1] = slice;
  }
}

/** What stands before the first view, to keep it aligned, is nobody's. */
function writeChunk(sink: ByteWriter, { bytes, from, to, slices }: PoolChunk): void {
  const padding = (slices[0] as PoolSlice).from - from;
  sink.varint(to - from);
  sink.blob(new Uint8Array(padding));
  sink.blob(new Uint8Array(bytes.buffer, from + padding, to - from - padding));
}

/** Written again, they are what they were. */
const restoredChunks = new WeakSet<ArrayBuffer>();

export function isRestoredChunk(buffer: ArrayBuffer): boolean {
  return weakSetHas(restoredChunks, buffer);
}

export class PoolReader {
  readonly #chunks: ArrayBuffer[] = [];
  /** Chunk and offset of each view, in order. */
  readonly #slices: number[] = [];
  #next = 0;

  read(source: ByteReader): void {
    const chunks = source.count(1, 'chunks of pools');
    for (let i = 0; i < chunks; i++) {
      const length = source.count(1, 'bytes of a pool');
      const chunk = new ArrayBuffer(length);
      weakSetAdd(restoredChunks, chunk);
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
  nextSlice(source: ByteReader): { buffer: ArrayBuffer; offset: number } {
    const buffer = this.#chunks[this.#slices[this.#next] ?? -1];
    if (buffer === undefined) throw source.corrupt('a view of a pool less');
    const offset = this.#slices[this.#next + 1] as number;
    this.#next += 2;
    return { buffer, offset };
  }
}
