// Workers compute the terms of one series each, one after the other, by asking another actor for the next term.
// Requests for all terms arrive before the first has been computed.

import { spawn, tell, type FarRef } from 'turntable';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';

const INCREMENT = 0.0025;

export class RateComputer {
  readonly #rate: number;

  constructor(rate: number) {
    this.#rate = rate;
  }

  compute(term: number): number {
    return this.#rate * term * (1 - term);
  }
}

export class SeriesWorker {
  readonly #computer: FarRef<RateComputer>;
  #term: number;
  #ordered = 0;
  /** Promise of the computation; undefined when idle. */
  #computing: Promise<void> | undefined;

  constructor(computer: FarRef<RateComputer>, term: number) {
    this.#computer = computer;
    this.#term = term;
  }

  /** Only counts requests during a computation: an actor handles other messages while one of its methods awaits. */
  nextTerm(): void {
    this.#ordered += 1;
    this.#computing ??= this.#compute();
  }

  async term(): Promise<number> {
    await this.#computing;
    return this.#term;
  }

  async #compute(): Promise<void> {
    for (; this.#ordered > 0; this.#ordered -= 1) this.#term = await this.#computer.compute(this.#term);
    this.#computing = undefined;
  }
}

export interface Size {
  readonly terms: number;
  readonly series: number;
  readonly rate: number;
}

export const problem: Problem<Size> = {
  paper: { terms: 25_000, series: 10, rate: 3.46 },
  quick: { terms: 2000, series: 10, rate: 3.46 },
  small: { terms: 50, series: 4, rate: 3.46 },
};

export async function run({ terms, series, rate }: Size, halfway?: Halfway): Promise<number> {
  const workers = Array.from({ length: series }, (_, i) =>
    spawn(SeriesWorker, spawn(RateComputer, rate + i * INCREMENT), i * INCREMENT),
  );
  for (let term = 0; term < terms; term += 1) {
    for (const worker of workers) tell(worker).nextTerm();
  }
  let results = 0;
  const last = await Promise.all(
    workers.map(async (worker) => {
      const term = await worker.term();
      results += 1;
      if (results === series >> 1) tellHalfway(halfway);
      return term;
    }),
  );
  return last.reduce((sum, term) => sum + term, 0);
}

/** Expected sum in millionths. */
export function expected({ terms, series, rate }: Size): number {
  let sum = 0;
  for (let i = 0; i < series; i += 1) {
    let term = i * INCREMENT;
    for (let n = 0; n < terms; n += 1) term = (rate + i * INCREMENT) * term * (1 - term);
    sum += term;
  }
  return millionths(sum);
}

export function verify(result: number, size: Size): boolean {
  return millionths(result) === expected(size);
}

function millionths(sum: number): number {
  return Math.round(sum * 1e6);
}

export function messages({ terms, series }: Size): number {
  return series * (2 + 3 * terms + 2);
}
