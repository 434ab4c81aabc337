// A list of numbers that grows, eight or four bytes each: there are millions of them.

type Words = Uint8Array | Uint16Array | Uint32Array | Float64Array;

export class Numbers<T extends Words> {
  #words: T;
  #length = 0;
  readonly #make: new (length: number) => T;

  constructor(make: new (length: number) => T) {
    this.#make = make;
    this.#words = new make(256);
  }

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#words.length) {
      const more = new this.#make(this.#length * 2);
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

  /** The first that is at least so much, of numbers that ascend; their count, if none is. */
  firstFrom(value: number, from = 0, to: number = this.#length): number {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.at(middle) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
