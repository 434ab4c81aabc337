// Two actors and one ball: the latency of a message on an idle system.

import { Actor, far, spawn, tell, type FarRef } from 'turntable';
import { ResultCell } from '../outcome.ts';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';

export class Ping extends Actor {
  readonly #pong: FarRef<Pong>;
  readonly #outcome: FarRef<ResultCell<number>>;
  readonly #halfway: Halfway;
  readonly #half: number;
  #left: number;

  constructor(pings: number, pong: FarRef<Pong>, outcome: FarRef<ResultCell<number>>, halfway: Halfway) {
    super();
    this.#left = pings;
    this.#half = pings >> 1;
    this.#halfway = halfway;
    this.#pong = pong;
    this.#outcome = outcome;
  }

  ping(): void {
    this.#left -= 1;
    tell(this.#pong).ping(this);
  }

  pong(): void {
    if (this.#left === this.#half) tellHalfway(this.#halfway);
    if (this.#left > 0) tell(far<Ping>(this)).ping();
    else tell(this.#pong).stop(this.#outcome);
  }
}

export class Pong {
  #count = 0;

  ping(from: FarRef<Ping>): void {
    this.#count += 1;
    tell(from).pong();
  }

  stop(outcome: FarRef<ResultCell<number>>): void {
    tell(outcome).resolve(this.#count);
  }
}

export interface Size {
  readonly pings: number;
}

export const problem: Problem<Size> = {
  paper: { pings: 40_000 },
  quick: { pings: 10_000 },
  small: { pings: 7 },
};

export async function run({ pings }: Size, halfway?: Halfway): Promise<number> {
  const outcome = new ResultCell<number>();
  const ping = spawn(Ping, pings, spawn(Pong), far(outcome), halfway);
  tell(ping).ping();
  return outcome.result;
}

export function verify(result: number, { pings }: Size): boolean {
  return result === pings;
}

export function messages({ pings }: Size): number {
  return 2 + 3 * pings + 2;
}
