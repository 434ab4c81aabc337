// One actor floods another: the cost of a message that waits among many.

import { spawn, tell, type FarRef } from 'turntable';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';

export class Producer {
  readonly #counter: FarRef<Counter>;

  constructor(counter: FarRef<Counter>) {
    this.#counter = counter;
  }

  /** The request arrives after all increments: messages from one actor to another keep their order. */
  async produce(limit: number): Promise<number> {
    const counter = tell(this.#counter);
    for (let i = 0; i < limit; i += 1) counter.increment();
    return this.#counter.count();
  }
}

export class Counter {
  readonly #half: number;
  readonly #halfway: Halfway;
  #count = 0;

  constructor(limit: number, halfway: Halfway) {
    this.#half = limit >> 1;
    this.#halfway = halfway;
  }

  increment(): void {
    this.#count += 1;
    if (this.#count === this.#half) tellHalfway(this.#halfway);
  }

  count(): number {
    return this.#count;
  }
}

export interface Size {
  readonly limit: number;
}

export const problem: Problem<Size> = {
  paper: { limit: 200_000 },
  quick: { limit: 50_000 },
  small: { limit: 3000 },
};

export async function run({ limit }: Size, halfway?: Halfway): Promise<number> {
  return spawn(Producer, spawn(Counter, limit, halfway)).produce(limit);
}

export function verify(result: number, { limit }: Size): boolean {
  return result === limit;
}

export function messages({ limit }: Size): number {
  return 2 + limit + 4;
}
