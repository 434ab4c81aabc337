// A list of 32-bit integers that grows in pieces. Only the first piece is copied as it grows, so that short lists are
// cheap and long ones are not copied while a program runs, which may have replaced all builtin functions.

const PIECE_BITS = 16;
const PIECE_LENGTH = 2 ** PIECE_BITS;
const INDEX_MASK = PIECE_LENGTH - 1;
const FIRST_LENGTH = 64;

export class IntegerList {
  readonly #pieces: Int32Array[] = [];
  #last = new Int32Array(0);
  length = 0;

  push(value: number): void {
    const index = this.length++ & INDEX_MASK;
    if (index === 0) this.#pieces[this.#pieces.length] = this.#last = this.#newPiece();
    else if (index === this.#last.length) this.#pieces[0] = this.#last = doubled(this.#last);
    this.#last[index] = value;
  }

  #newPiece(): Int32Array<ArrayBuffer> {
    return new Int32Array(this.#pieces.length === 0 ? FIRST_LENGTH : PIECE_LENGTH);
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

function doubled(piece: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(piece.length * 2);
  for (let i = 0; i < piece.length; i++) larger[i] = piece[i] as number;
  return larger;
}
