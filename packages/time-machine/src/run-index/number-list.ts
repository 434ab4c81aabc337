// Growing list of numbers in a typed array, for lists of millions of numbers.
import { findFirst } from '../binary-search.ts';

type WordArray = Uint8Array | Uint32Array | Float64Array;

export interface WordArrayType<T extends WordArray> {
  new (length: number): T;
  new (buffer: ArrayBufferLike, offset: number, length: number): T;
  readonly BYTES_PER_ELEMENT: number;
}

export class NumberList<T extends WordArray> {
  #words: T;
  #length = 0;
  readonly #type: WordArrayType<T>;

  /** @param words all numbers of a list that does not grow */
  constructor(make: WordArrayType<T>, words?: T) {
    this.#type = make;
    this.#words = words ?? new make(256);
    this.#length = words?.length ?? 0;
  }

  /** A view of the numbers, without a copy. */
  get words(): T {
    return this.#words.subarray(0, this.#length) as T;
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#words.length) {
      const more = new this.#type(this.#length * 2);
      more.set(this.#words);
      this.#words = more;
    }
    this.#words[this.#length++] = value;
  }

  at(index: number): number {
    return this.#words[index] as number;
  }

  set(index: number, value: number): void {
    this.#words[index] = value;
  }

  /** Index of the first number that is at least `value`; `to` if there is none. The numbers must be ascending. */
  lowerBound(value: number, from = 0, to: number = this.#length): number {
    return findFirst(from, to, (index) => this.at(index) >= value);
  }
}
