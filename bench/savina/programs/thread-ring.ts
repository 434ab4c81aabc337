// A token passes round a ring of actors until its hops are used up; then a final message passes round once.

import { far, spawn, tell, type FarRef } from 'turntable';
import { ResultCell } from '../outcome.ts';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';

export class Link {
  readonly #id: number;
  readonly #outcome: FarRef<ResultCell<number>>;
  #ring = 0;
  /** Remaining hops at half-way. */
  #half = -1;
  #halfway: Halfway;
  #next: FarRef<Link> | undefined;

  constructor(id: number, outcome: FarRef<ResultCell<number>>) {
    this.#id = id;
    this.#outcome = outcome;
  }

  join(next: FarRef<Link>, ring: number, half: number, halfway: Halfway): void {
    this.#next = next;
    this.#ring = ring;
    this.#half = half;
    this.#halfway = halfway;
  }

  ping(left: number): void {
    if (left === this.#half) tellHalfway(this.#halfway);
    if (left > 0) this.#tellNext().ping(left - 1);
    else this.#tellNext().exit(this.#ring - 1);
  }

  exit(left: number): void {
    if (left > 0) this.#tellNext().exit(left - 1);
    else tell(this.#outcome).resolve(this.#id);
  }

  #tellNext() {
    if (this.#next === undefined) throw new TypeError(`link ${this.#id} is in no ring yet`);
    return tell(this.#next);
  }
}

export interface Size {
  readonly actors: number;
  readonly pings: number;
}

export const problem: Problem<Size> = {
  paper: { actors: 100, pings: 100_000 },
  quick: { actors: 100, pings: 20_000 },
  small: { actors: 7, pings: 30 },
};

export async function run({ actors, pings }: Size, halfway?: Halfway): Promise<number> {
  const outcome = new ResultCell<number>();
  const links = Array.from({ length: actors }, (_, i) => spawn(Link, i + 1, far(outcome)));
  // Order holds only between two actors: without this wait the token could arrive before `join`.
  const half = pings >> 1;
  await Promise.all(links.map((link, i) => link.join(links[(i + 1) % actors]!, actors, half, halfway)));
  tell(links[0]!).ping(pings);
  return outcome.result;
}

/** The final message starts after the link at which the token ended, and ends there. */
export function verify(result: number, { actors, pings }: Size): boolean {
  return result === 1 + (pings % actors);
}

export function messages({ actors, pings }: Size): number {
  return 3 * actors + (pings + 1) + actors + 1;
}
