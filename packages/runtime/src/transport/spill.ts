// Frames that found no room in their ring, in order, in chunks of memory that are used again.

import type { TextBuffer } from './ring.ts';

const CHUNK = 2 ** 18;
/** Chunks that are kept for later. */
const SPARE = 4;

interface Chunk {
  readonly bytes: TextBuffer;
  readonly view: DataView;
  from: number;
  to: number;
}

export class Spill {
  readonly #chunks: Chunk[] = [];
  #next = 0;
  readonly #spare: Chunk[] = [];
  /** Bytes that wait. */
  size = 0;

  /** Where the first frame stands that waits. */
  get first(): Readonly<Chunk> {
    return this.#chunks[this.#next] as Chunk;
  }

  /** Where the next frame may be written; `grow` says that it was. At least `room` bytes. */
  open(room: number): Readonly<Chunk> {
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.to + room <= last.bytes.length) return last;
    const chunk = room <= CHUNK ? (this.#spare.pop() ?? chunkOf(CHUNK)) : chunkOf(room);
    this.#chunks.push(chunk);
    return chunk;
  }

  grow(length: number): void {
    (this.#chunks.at(-1) as Chunk).to += length;
    this.size += length;
  }

  add(bytes: TextBuffer, from: number, length: number): void {
    const { bytes: into, to } = this.open(length);
    bytes.copy(into, to, from, from + length);
    this.grow(length);
  }

  /** The first `length` bytes wait no more. */
  take(length: number): void {
    const chunk = this.#chunks[this.#next] as Chunk;
    chunk.from += length;
    this.size -= length;
    if (chunk.from < chunk.to) return;
    this.#next++;
    chunk.from = chunk.to = 0;
    if (this.#spare.length < SPARE && chunk.bytes.length === CHUNK) this.#spare.push(chunk);
    if (this.#next === this.#chunks.length || this.#next > 64) {
      this.#chunks.splice(0, this.#next);
      this.#next = 0;
    }
  }
}

function chunkOf(size: number): Chunk {
  const bytes = Buffer.allocUnsafeSlow(size) as unknown as TextBuffer;
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, size), from: 0, to: 0 };
}
