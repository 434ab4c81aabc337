// A chain of actors sorts numbers, each by one bit: numbers without it pass at once, the others when all have arrived.

import { far, spawn, tell, type FarRef } from 'turntable';
import { ResultCell } from '../outcome.ts';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';
import { Random } from '../random.ts';

/** Receiver of numbers: the next actor of the chain, or its end. */
export interface Taker {
  take(value: number): void;
}

export class Source {
  produce(values: number, seed: number, max: number, next: FarRef<Taker>): void {
    const random = new Random(seed);
    const taker = tell(next);
    for (let i = 0; i < values; i += 1) taker.take(random.below(max));
  }
}

export class Sorter implements Taker {
  readonly #bit: number;
  readonly #next: FarRef<Taker>;
  readonly #ones: number[] = [];
  #left: number;

  constructor(bit: number, values: number, next: FarRef<Taker>) {
    this.#bit = bit;
    this.#left = values;
    this.#next = next;
  }

  take(value: number): void {
    this.#left -= 1;
    const next = tell(this.#next);
    if ((value & this.#bit) === 0) next.take(value);
    else this.#ones.push(value);
    if (this.#left === 0) for (const one of this.#ones) next.take(one);
  }
}

export class Validator implements Taker {
  readonly #outcome: FarRef<ResultCell<Result>>;
  #left: number;
  #previous = 0;
  #sum = 0;
  #misplaced = 0;

  constructor(values: number, outcome: FarRef<ResultCell<Result>>) {
    this.#left = values;
    this.#outcome = outcome;
  }

  take(value: number): void {
    if (value < this.#previous) this.#misplaced += 1;
    this.#previous = value;
    this.#sum += value;
    this.#left -= 1;
    if (this.#left === 0) tell(this.#outcome).resolve({ sum: this.#sum, misplaced: this.#misplaced });
  }
}

interface Result {
  readonly sum: number;
  /** Number of values that are less than the previous one. */
  readonly misplaced: number;
}

export interface Size {
  readonly values: number;
  /** Upper bound, a power of two. */
  readonly max: number;
  readonly seed: number;
}

export const problem: Problem<Size> = {
  paper: { values: 50_000, max: 65_536, seed: 74_755 },
  quick: { values: 10_000, max: 65_536, seed: 74_755 },
  small: { values: 100, max: 256, seed: 74_755 },
};

export async function run({ values, max, seed }: Size, halfway?: Halfway): Promise<Result> {
  const outcome = new ResultCell<Result>();
  let next: FarRef<Taker> = spawn(Validator, values, far(outcome));
  for (let bit = max / 2; bit >= 1; bit /= 2) next = spawn(Sorter, bit, values, next);
  tell(spawn(Source)).produce(values, seed, max, next);
  tellHalfway(halfway);
  return outcome.result;
}

export function expected({ values, max, seed }: Size): number {
  const random = new Random(seed);
  let sum = 0;
  for (let i = 0; i < values; i += 1) sum += random.below(max);
  return sum;
}

export function verify({ sum, misplaced }: Result, size: Size): boolean {
  return misplaced === 0 && sum === expected(size);
}

export function messages({ values, max }: Size): number {
  const bits = Math.log2(max);
  return bits + 2 + 1 + (bits + 1) * values + 1;
}
