// Frames that found no room in their ring, in order, in chunks of memory that are reused.

import type { TextBuffer } from './ring.ts';

const CHUNK_BYTES = 2 ** 18;
const MAX_SPARE_CHUNKS = 4;

interface Chunk {
  readonly bytes: TextBuffer;
  readonly view: DataView;
  from: number;
  to: number;
}

export class Spill {
  readonly #chunks: Chunk[] = [];
  #firstIndex = 0;
  readonly #spare: Chunk[] = [];
  size = 0;

  /** The chunk of the first waiting frame, which starts at `from`. */
  get first(): Readonly<Chunk> {
    return this.#chunks[this.#firstIndex] as Chunk;
  }

  /** Returns the chunk for the next frame, with at least `room` free bytes at `to`. `grow` adds the written frame. */
  open(room: number): Readonly<Chunk> {
    const last = this.#chunks.at(-1);
    if (last !== undefined && last.to + room <= last.bytes.length) return last;
    const chunk = room <= CHUNK_BYTES ? (this.#spare.pop() ?? createChunk(CHUNK_BYTES)) : createChunk(room);
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

  take(length: number): void {
    const chunk = this.#chunks[this.#firstIndex] as Chunk;
    chunk.from += length;
    this.size -= length;
    if (chunk.from < chunk.to) return;
    this.#firstIndex++;
    chunk.from = chunk.to = 0;
    if (this.#spare.length < MAX_SPARE_CHUNKS && chunk.bytes.length === CHUNK_BYTES) this.#spare.push(chunk);
    if (this.#firstIndex === this.#chunks.length || this.#firstIndex > 64) {
      this.#chunks.splice(0, this.#firstIndex);
      this.#firstIndex = 0;
    }
  }
}

function createChunk(size: number): Chunk {
  const bytes = Buffer.allocUnsafeSlow(size) as unknown as TextBuffer;
  return { bytes, view: new DataView(bytes.buffer, bytes.byteOffset, size), from: 0, to: 0 };
}
