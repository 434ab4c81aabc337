// Numbers grouped by key in two typed arrays: for example, the tasks of each actor. Each group keeps the input order.

const NO_NUMBERS = new Uint32Array();

export class Buckets {
  readonly #offsets: Uint32Array;
  readonly #numbers: Uint32Array;

  /**
   * @param keys the key of each number, below `keyCount`
   * @param numbers the numbers to group; default: 1, 2, 3 …
   */
  constructor(keys: ArrayLike<number> & Iterable<number>, keyCount: number, numbers?: Uint32Array) {
    const firsts = new Uint32Array(keyCount + 2);
    for (const key of keys) firsts[key + 1] = (firsts[key + 1] as number) + 1;
    for (let i = 1; i < firsts.length; i++) firsts[i] = (firsts[i] as number) + (firsts[i - 1] as number);
    const next = firsts.slice();
    const all = new Uint32Array(keys.length);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as number;
      const slot = next[key] as number;
      all[slot] = numbers === undefined ? i + 1 : (numbers[i] as number);
      next[key] = slot + 1;
    }
    this.#offsets = firsts;
    this.#numbers = all;
  }

  of(key: number): Uint32Array {
    if (key + 1 >= this.#offsets.length) return NO_NUMBERS;
    return this.#numbers.subarray(this.#offsets[key], this.#offsets[key + 1]);
  }
}
