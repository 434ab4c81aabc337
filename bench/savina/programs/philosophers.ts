// Philosophers ask an arbitrator for two forks, and ask again at once when refused. In the papers the second fork is
// not the next one but the one after it.

import { spawn, tell, type FarRef } from 'turntable';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';

export class Arbitrator {
  readonly #isTaken: boolean[];
  readonly #reach: number;

  constructor(forks: number, reach: number) {
    this.#isTaken = Array.from({ length: forks }, () => false);
    this.#reach = reach;
  }

  /** Takes both forks of the seat if they are free; returns whether they were. */
  hungry(seat: number): boolean {
    const other = this.#otherForkOf(seat);
    if (this.#isTaken[seat] === true || this.#isTaken[other] === true) return false;
    this.#isTaken[seat] = true;
    this.#isTaken[other] = true;
    return true;
  }

  done(seat: number): void {
    this.#isTaken[seat] = false;
    this.#isTaken[this.#otherForkOf(seat)] = false;
  }

  taken(): number {
    return this.#isTaken.filter(Boolean).length;
  }

  #otherForkOf(seat: number): number {
    return (seat + this.#reach) % this.#isTaken.length;
  }
}

export class Philosopher {
  readonly #seat: number;
  readonly #arbitrator: FarRef<Arbitrator>;

  constructor(seat: number, arbitrator: FarRef<Arbitrator>) {
    this.#seat = seat;
    this.#arbitrator = arbitrator;
  }

  /** Returns the number of refusals. */
  async dine(rounds: number): Promise<number> {
    let refused = 0;
    for (let round = 0; round < rounds; round += 1) {
      while (!(await this.#arbitrator.hungry(this.#seat))) refused += 1;
      tell(this.#arbitrator).done(this.#seat);
    }
    return refused;
  }
}

interface Result {
  readonly forksTaken: number;
  readonly refused: number;
}

export interface Size {
  readonly philosophers: number;
  readonly rounds: number;
  /** Distance of the second fork from the first. */
  readonly reach: number;
}

export const problem: Problem<Size> = {
  paper: { philosophers: 20, rounds: 5000, reach: 2 },
  corrected: { philosophers: 20, rounds: 5000, reach: 1 },
  quick: { philosophers: 20, rounds: 500, reach: 2 },
  small: { philosophers: 5, rounds: 10, reach: 2 },
};

export async function run({ philosophers, rounds, reach }: Size, halfway?: Halfway): Promise<Result> {
  const arbitrator = spawn(Arbitrator, philosophers, reach);
  const refs = Array.from({ length: philosophers }, (_, seat) => spawn(Philosopher, seat, arbitrator));
  const dining = refs.map((ref) => ref.dine(rounds));
  tellHalfway(halfway);
  const refused = await Promise.all(dining);
  return { forksTaken: await arbitrator.taken(), refused: refused.reduce((sum, each) => sum + each, 0) };
}

export function verify({ forksTaken }: Result): boolean {
  return forksTaken === 0;
}

/** Counts refusals, whose number depends on the schedule. */
export function messages({ philosophers, rounds }: Size, { refused }: Result): number {
  return 1 + philosophers * (1 + 2 + 3 * rounds) + 2 * refused + 2;
}
