// Buffers that Node cuts out of pools. A slice's position and its neighbours are history; which slices overlap is
// state. So a pool is written as chunks, each a run of bytes that captured views cover without a gap, and each view as
// a chunk and an offset. The footer holds both, because all views must be known first. The bytes are copied when the
// first view is written: no code has changed the bytes of other views since the cut. A pool that the program itself
// holds, as an ArrayBuffer, is one chunk.

import { bufferLength, copyInto, SafeMap, weakSetAdd, weakSetHas } from './intrinsics.ts';
import type { ByteWriter } from './byte-writer.ts';
import type { ByteReader } from './byte-reader.ts';

interface PoolCopy {
  /** Copy of the pool, made when its first view was written. */
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

/** Alignment that every view accepts. */
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

/** Assigns chunks to the slices of a pool. Each empty slice is a chunk by itself. */
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

/** Insertion sort, for few and mostly ordered slices; calls no method that the program can change. */
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

/** Writes a chunk with padding before the first view, which keeps it aligned. */
function writeChunk(sink: ByteWriter, { bytes, from, to, slices }: PoolChunk): void {
  const padding = (slices[0] as PoolSlice).from - from;
  sink.varint(to - from);
  sink.blob(new Uint8Array(padding));
  sink.blob(new Uint8Array(bytes.buffer, from + padding, to - from - padding));
}

/** Buffers of restored chunks, which are written as chunks again. */
const restoredChunks = new WeakSet<ArrayBuffer>();

export function isRestoredChunk(buffer: ArrayBuffer): boolean {
  return weakSetHas(restoredChunks, buffer);
}

export class PoolReader {
  readonly #chunks: ArrayBuffer[] = [];
  /** Chunk number and offset of each view, alternating, in the order of the views. */
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

  /** Returns the buffer and the offset of the next view. */
  nextSlice(source: ByteReader): { buffer: ArrayBuffer; offset: number } {
    const buffer = this.#chunks[this.#slices[this.#next] ?? -1];
    if (buffer === undefined) throw source.corrupt('a view of a pool less');
    const offset = this.#slices[this.#next + 1] as number;
    this.#next += 2;
    return { buffer, offset };
  }
}
