// A sealed file as what it holds: where each chunk is, is found when it is opened, and a chunk is opened when something of it is read. A last chunk that is
// not whole is not there; where one is damaged, what is behind cannot be read, and what is before can.

import type { ByteSource } from '../byte-source.ts';
import { damaged, type RecordingError } from '../recording-error.ts';
import { keyHere } from './key.ts';
import { lengthOf, Opener, SEALED_HEAD, SEALED_HEADER, TAG_LENGTH } from './seal.ts';

export function sealedSource(raw: ByteSource): ByteSource {
  try {
    return new SealedSource(raw);
  } catch (error) {
    raw.close();
    throw error;
  }
}

class SealedSource implements ByteSource {
  readonly name: string;
  readonly size: number;
  readonly #raw: ByteSource;
  readonly #opener: Opener | undefined;
  /** Of each chunk, where it begins in the file and in the content. */
  readonly #places: number[] = [];
  readonly #starts: number[] = [];
  /** Bytes of content that are there. */
  #length = 0;
  #damage: RecordingError | undefined;
  #open: { readonly chunk: number; readonly content: Uint8Array } | undefined;

  constructor(raw: ByteSource) {
    this.#raw = raw;
    this.name = raw.name;
    // Whatever is cut off is not there, the header too.
    if (raw.size >= SEALED_HEADER) this.#opener = new Opener(raw.read(0, SEALED_HEADER), keyHere(), raw.name);
    const rest = this.#opener === undefined ? 0 : this.#look();
    // Something is behind what can be read: who comes to it is told.
    this.size = this.#length + (this.#damage === undefined ? 0 : rest);
  }

  read(offset: number, length: number): Uint8Array {
    if (offset + length > this.#length && this.#damage !== undefined) throw this.#damage;
    const bytes = Buffer.allocUnsafeSlow(length);
    let chunk = this.#chunkAt(offset);
    for (let done = 0; done < length; chunk++) {
      const content = this.#content(chunk);
      const from = offset + done - (this.#starts[chunk] ?? 0);
      const piece = content.subarray(from, from + length - done);
      if (piece.length === 0) throw damaged(this.name, this.#raw.size, `${length - done} more bytes`);
      bytes.set(piece, done);
      done += piece.length;
    }
    return bytes;
  }

  close(): void {
    this.#raw.close();
    this.#open = undefined;
  }

  /** Finds the chunks. Answers how many bytes are behind them. */
  #look(): number {
    const { name, size } = this.#raw;
    let at = SEALED_HEADER;
    try {
      while (at + SEALED_HEAD <= size) {
        const length = lengthOf(this.#raw.read(at, SEALED_HEAD), name, at);
        const end = at + SEALED_HEAD + (length ?? 0) + TAG_LENGTH;
        if (length === undefined || end > size) break;
        this.#places.push(at);
        this.#starts.push(this.#length);
        this.#length += length;
        at = end;
      }
    } catch (error) {
      this.#damage = error as RecordingError;
    }
    return size - at;
  }

  /** The last that begins at or before the offset. */
  #chunkAt(offset: number): number {
    let [low, high] = [0, this.#starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }

  #content(chunk: number): Uint8Array {
    if (this.#open?.chunk === chunk) return this.#open.content;
    const [at, start] = [this.#places[chunk], this.#starts[chunk]];
    if (this.#opener === undefined || at === undefined || start === undefined) return new Uint8Array(0);
    const length = (this.#starts[chunk + 1] ?? this.#length) - start;
    const content = this.#opener.open(chunk, this.#raw.read(at + SEALED_HEAD, length + TAG_LENGTH), at);
    this.#open = { chunk, content };
    return content;
  }
}
