// An arbiter lets smokers smoke in turn, drawn at random, and continues as soon as one has started. In the papers
// smokers are numbered from one and drawn from zero; with their sizes only every second one is drawn, never the missing
// one.

import { Actor, far, spawn, tell, type FarRef } from 'turntable';
import { ResultCell } from '../outcome.ts';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';
import { Random } from '../random.ts';

const LONGEST = 1000;

export class Arbiter extends Actor {
  readonly #random = new Random();
  readonly #smokers: readonly FarRef<Smoker>[];
  readonly #outcome: FarRef<ResultCell<number>>;
  readonly #half: number;
  readonly #halfway: Halfway;
  #left: number;

  constructor(
    rounds: number,
    smokers: readonly FarRef<Smoker>[],
    outcome: FarRef<ResultCell<number>>,
    halfway: Halfway,
  ) {
    super();
    this.#left = rounds;
    this.#smokers = smokers;
    this.#outcome = outcome;
    this.#half = rounds >> 1;
    this.#halfway = halfway;
  }

  start(): void {
    this.#next();
  }

  /** When each smoker has answered, all have finished. */
  async startedSmoking(): Promise<void> {
    this.#left -= 1;
    if (this.#left === this.#half) tellHalfway(this.#halfway);
    if (this.#left > 0) {
      this.#next();
      return;
    }
    await Promise.all(this.#smokers.map((smoker) => smoker.exit()));
    tell(this.#outcome).resolve(this.#random.next());
  }

  #next(): void {
    const { smoker, draws } = drawn(this.#random, this.#smokers.length);
    tell(this.#smokers[smoker]!).smoke(draws, this);
  }
}

/** Draws the next smoker and the duration. */
function drawn(random: Random, smokers: number): { smoker: number; draws: number } {
  const smokerIndex = (1 + random.next()) % smokers;
  return { smoker: smokerIndex - 1, draws: 10 + random.below(LONGEST) };
}

export class Smoker {
  readonly #random = new Random();

  smoke(draws: number, arbiter: FarRef<Arbiter>): void {
    tell(arbiter).startedSmoking();
    this.#random.spend(draws);
  }

  exit(): void {}
}

export interface Size {
  readonly rounds: number;
  readonly smokers: number;
}

export const problem: Problem<Size> = {
  paper: { rounds: 10_000, smokers: 200 },
  quick: { rounds: 1000, smokers: 200 },
  small: { rounds: 40, smokers: 200 },
};

export async function run({ rounds, smokers }: Size, halfway?: Halfway): Promise<number> {
  const outcome = new ResultCell<number>();
  const refs = Array.from({ length: smokers }, () => spawn(Smoker));
  tell(spawn(Arbiter, rounds, refs, far(outcome), halfway)).start();
  return outcome.result;
}

/** Returns the number that the arbiter draws after the last round. */
export function expected({ rounds, smokers }: Size): number {
  const random = new Random();
  for (let i = 0; i < rounds; i += 1) drawn(random, smokers);
  return random.next();
}

export function verify(result: number, size: Size): boolean {
  return result === expected(size);
}

export function messages({ rounds, smokers }: Size): number {
  return smokers + 2 + 2 * rounds + 2 * smokers + 1;
}
