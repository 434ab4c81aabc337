// Several workers read from and write to one dictionary, each waiting for an answer before the next request. The papers
// ran it with 512 entries instead of the suite's 524,287.

import { spawn, type FarRef } from 'turntable';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';
import { Random } from '../random.ts';

export class Dictionary {
  readonly #entries = new Map<number, number>();

  constructor(keys: number) {
    for (let key = 0; key < keys; key += 1) this.#entries.set(key, key);
  }

  read(key: number): number | undefined {
    return this.#entries.get(key);
  }

  write(key: number, value: number): number {
    this.#entries.set(key, value);
    return value;
  }

  size(): number {
    return this.#entries.size;
  }
}

export class Worker {
  readonly #dictionary: FarRef<Dictionary>;
  readonly #random: Random;

  constructor(dictionary: FarRef<Dictionary>, seed: number) {
    this.#dictionary = dictionary;
    this.#random = new Random(seed);
  }

  /** Returns the number of answers that were no numbers. */
  async work(messages: number, writes: number, keys: number): Promise<number> {
    const random = this.#random;
    let lost = 0;
    for (let i = 0; i < messages; i += 1) {
      const isWrite = random.next() % 100 < writes;
      const key = random.below(keys);
      const answer = isWrite ? await this.#dictionary.write(key, random.next()) : await this.#dictionary.read(key);
      if (typeof answer !== 'number') lost += 1;
    }
    return lost;
  }
}

interface Result {
  readonly lost: number;
  readonly size: number;
}

export interface Size {
  readonly workers: number;
  readonly messages: number;
  /** Percentage of writes. */
  readonly writes: number;
  readonly keys: number;
}

export const problem: Problem<Size> = {
  paper: { workers: 20, messages: 1000, writes: 20, keys: 512 },
  corrected: { workers: 20, messages: 10_000, writes: 10, keys: 524_287 },
  quick: { workers: 10, messages: 500, writes: 20, keys: 512 },
  small: { workers: 3, messages: 20, writes: 20, keys: 512 },
};

export async function run({ workers, messages, writes, keys }: Size, halfway?: Halfway): Promise<Result> {
  const dictionary = spawn(Dictionary, keys);
  const refs = Array.from({ length: workers }, (_, i) => spawn(Worker, dictionary, i + 1 + messages + writes));
  const working = refs.map((ref) => ref.work(messages, writes, keys));
  tellHalfway(halfway);
  const lost = await Promise.all(working);
  return { lost: lost.reduce((sum, each) => sum + each, 0), size: await dictionary.size() };
}

export function verify({ lost, size }: Result, { keys }: Size): boolean {
  return lost === 0 && size === keys;
}

export function messages({ workers, messages }: Size): number {
  return 1 + workers * (1 + 2 + 2 * messages) + 2;
}
