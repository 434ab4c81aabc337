// Every actor knows all others: it pings one drawn at random and waits for the pong, repeatedly. The papers ran it with
// the two sizes swapped: many actors and few pings.

import { far, spawn, tell, type FarRef } from 'turntable';
import { ResultCell } from '../outcome.ts';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';
import { Random } from '../random.ts';

export class Big {
  readonly #id: number;
  readonly #sink: FarRef<Sink>;
  readonly #random: Random;
  #peers: readonly FarRef<Big>[] = [];
  #left: number;
  #expected = -1;
  #strays = 0;

  constructor(id: number, pings: number, sink: FarRef<Sink>) {
    this.#id = id;
    this.#left = pings;
    this.#sink = sink;
    this.#random = new Random(id + 1);
  }

  meet(peers: readonly FarRef<Big>[]): void {
    this.#peers = peers;
  }

  start(): void {
    this.#next();
  }

  ping(from: number): void {
    tell(this.#peers[from]!).pong(this.#id);
  }

  pong(from: number): void {
    if (from !== this.#expected) this.#strays += 1;
    this.#next();
  }

  #next(): void {
    if (this.#left === 0) {
      tell(this.#sink).exit(this.#strays);
      return;
    }
    this.#left -= 1;
    this.#expected = this.#random.below(this.#peers.length);
    tell(this.#peers[this.#expected]!).ping(this.#id);
  }
}

export class Sink {
  readonly #outcome: FarRef<ResultCell<Result>>;
  readonly #actors: number;
  #exits = 0;
  #strays = 0;

  constructor(actors: number, outcome: FarRef<ResultCell<Result>>) {
    this.#actors = actors;
    this.#outcome = outcome;
  }

  exit(strays: number): void {
    this.#exits += 1;
    this.#strays += strays;
    if (this.#exits === this.#actors) tell(this.#outcome).resolve({ exits: this.#exits, strays: this.#strays });
  }
}

/** `strays` counts pongs of actors that had not been pinged. */
interface Result {
  readonly exits: number;
  readonly strays: number;
}

export interface Size {
  readonly actors: number;
  readonly pings: number;
}

export const problem: Problem<Size> = {
  paper: { actors: 2000, pings: 120 },
  corrected: { actors: 120, pings: 20_000 },
  quick: { actors: 500, pings: 120 },
  small: { actors: 12, pings: 25 },
};

export async function run({ actors, pings }: Size, halfway?: Halfway): Promise<Result> {
  const outcome = new ResultCell<Result>();
  const sink = spawn(Sink, actors, far(outcome));
  const refs = Array.from({ length: actors }, (_, i) => spawn(Big, i, pings, sink));
  // Order holds only between two actors: without this wait a ping could arrive before `meet`.
  await Promise.all(refs.map((ref) => ref.meet(refs)));
  for (const ref of refs) tell(ref).start();
  tellHalfway(halfway);
  return outcome.result;
}

export function verify({ exits, strays }: Result, { actors }: Size): boolean {
  return exits === actors && strays === 0;
}

export function messages({ actors, pings }: Size): number {
  return 1 + actors * (4 + 2 * pings + 1) + 1;
}
