// Numbers by what they belong to, in two arrays: the stretches of each actor, what came of each stretch. Ascending, if they came so.

const NONE = new Uint32Array();

export class Buckets {
  readonly #firsts: Uint32Array;
  readonly #numbers: Uint32Array;

  /**
   * @param keys of each number, below `most`
   * @param numbers from 1 on, unless they are given
   */
  constructor(keys: ArrayLike<number> & Iterable<number>, most: number, numbers?: Uint32Array) {
    const firsts = new Uint32Array(most + 2);
    for (const key of keys) firsts[key + 1] = (firsts[key + 1] as number) + 1;
    for (let i = 1; i < firsts.length; i++) firsts[i] = (firsts[i] as number) + (firsts[i - 1] as number);
    const next = firsts.slice();
    const all = new Uint32Array(keys.length);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as number;
      const at = next[key] as number;
      all[at] = numbers === undefined ? i + 1 : (numbers[i] as number);
      next[key] = at + 1;
    }
    this.#firsts = firsts;
    this.#numbers = all;
  }

  of(key: number): Uint32Array {
    if (key + 1 >= this.#firsts.length) return NONE;
    return this.#numbers.subarray(this.#firsts[key], this.#firsts[key + 1]);
  }
}
