// Creatures meet in pairs at a mall and change colour depending on each other. The papers ran it with the two sizes
// swapped: too many creatures for the meetings, so that most only come and go.

import { Actor, far, spawn, tell, type FarRef } from 'turntable';
import { ResultCell } from '../outcome.ts';
import { tellHalfway, type Halfway, type Problem } from '../problem.ts';

const COLOURS = ['red', 'yellow', 'blue'] as const;
type Colour = (typeof COLOURS)[number] | 'faded';

/** Two equal colours stay; two different ones become the third. */
function complement(one: Colour, other: Colour): Colour {
  if (one === other) return one;
  if (one === 'faded' || other === 'faded') return 'faded';
  return COLOURS.find((colour) => colour !== one && colour !== other) ?? one;
}

export class Mall extends Actor {
  readonly #outcome: FarRef<ResultCell<number>>;
  readonly #half: number;
  readonly #halfway: Halfway;
  #meetingsLeft: number;
  #waiting: FarRef<Chameneo> | undefined;
  #creatures = 0;
  #faded = 0;
  #meetings = 0;

  constructor(meetings: number, outcome: FarRef<ResultCell<number>>, halfway: Halfway) {
    super();
    this.#meetingsLeft = meetings;
    this.#outcome = outcome;
    this.#half = meetings >> 1;
    this.#halfway = halfway;
  }

  open(creatures: number): void {
    this.#creatures = creatures;
    for (let i = 0; i < creatures; i += 1) tell(spawn(Chameneo, this, COLOURS[i % 3]!)).goToMall();
  }

  meet(visitor: FarRef<Chameneo>, colour: Colour): void {
    if (this.#meetingsLeft === 0) {
      tell(visitor).exit();
    } else if (this.#waiting === undefined) {
      this.#waiting = visitor;
    } else {
      this.#meetingsLeft -= 1;
      tell(this.#waiting).meet(visitor, colour);
      this.#waiting = undefined;
      if (this.#meetingsLeft === this.#half) tellHalfway(this.#halfway);
    }
  }

  left(meetings: number): void {
    this.#faded += 1;
    this.#meetings += meetings;
    if (this.#faded === this.#creatures) tell(this.#outcome).resolve(this.#meetings);
  }
}

export class Chameneo extends Actor {
  readonly #mall: FarRef<Mall>;
  #colour: Colour;
  #meetings = 0;

  constructor(mall: FarRef<Mall>, colour: Colour) {
    super();
    this.#mall = mall;
    this.#colour = colour;
  }

  goToMall(): void {
    tell(this.#mall).meet(this, this.#colour);
  }

  meet(other: FarRef<Chameneo>, colour: Colour): void {
    this.change(complement(this.#colour, colour));
    tell(other).change(this.#colour);
  }

  change(colour: Colour): void {
    this.#colour = colour;
    this.#meetings += 1;
    this.goToMall();
  }

  exit(): void {
    this.#colour = 'faded';
    tell(this.#mall).left(this.#meetings);
  }
}

export interface Size {
  readonly creatures: number;
  readonly meetings: number;
}

export const problem: Problem<Size> = {
  paper: { meetings: 100, creatures: 100_000 },
  corrected: { meetings: 200_000, creatures: 100 },
  quick: { meetings: 100, creatures: 5000 },
  small: { meetings: 50, creatures: 9 },
};

export async function run({ meetings, creatures }: Size, halfway?: Halfway): Promise<number> {
  const outcome = new ResultCell<number>();
  tell(spawn(Mall, meetings, far(outcome), halfway)).open(creatures);
  return outcome.result;
}

export function verify(result: number, { meetings }: Size): boolean {
  return result === 2 * meetings;
}

/** A creature is created, started, goes to the mall, is sent home and reports; a meeting takes four messages more. */
export function messages({ meetings, creatures }: Size): number {
  return 2 + 5 * creatures + 4 * meetings + 1;
}
