// A list of 32-bit integers that grows in pieces, so that its elements are never copied while a program runs.

const PIECE_BITS = 16;
const PIECE_LENGTH = 2 ** PIECE_BITS;
const INDEX_MASK = PIECE_LENGTH - 1;

export class IntegerList {
  readonly #pieces: Int32Array[] = [];
  #last = new Int32Array(0);
  length = 0;

  push(value: number): void {
    const index = this.length++ & INDEX_MASK;
    if (index === 0) this.#pieces[this.#pieces.length] = this.#last = new Int32Array(PIECE_LENGTH);
    this.#last[index] = value;
  }

  get(index: number): number {
    return (this.#pieces[index >> PIECE_BITS] as Int32Array)[index & INDEX_MASK] as number;
  }

  set(index: number, value: number): void {
    (this.#pieces[index >> PIECE_BITS] as Int32Array)[index & INDEX_MASK] = value;
  }

  toArray(): Int32Array {
    const all = new Int32Array(this.length);
    for (const [i, piece] of this.#pieces.entries())
      all.set(piece.subarray(0, this.length - i * PIECE_LENGTH), i * PIECE_LENGTH);
    return all;
  }
}
