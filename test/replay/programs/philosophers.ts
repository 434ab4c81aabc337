// Five philosophers take the fork on their left, then one they draw, and keep the first while they wait: they may starve, which a timeout ends.

import { type FarRef } from 'turntable';
import { spawn } from './spawn.ts';

const PHILOSOPHERS = 5;
const ROUNDS = 5;
/** Milliseconds. */
const TIMEOUT_MS = 25;

export class Table {
  readonly #isTaken = Array.from({ length: PHILOSOPHERS }, () => false);
  #isOver = false;

  /** Whether the fork is the asker's now; nothing when it is too late. */
  take(fork: number): boolean | undefined {
    if (this.#isOver) return undefined;
    if (this.#isTaken[fork] === true) return false;
    return (this.#isTaken[fork] = true);
  }

  putBack(forks: readonly number[]): void {
    for (const fork of forks) this.#isTaken[fork] = false;
  }

  end(): number {
    this.#isOver = true;
    return this.#isTaken.filter(Boolean).length;
  }
}

export class Philosopher {
  readonly #seat: number;
  readonly #table: FarRef<Table>;

  constructor(seat: number, table: FarRef<Table>) {
    this.#seat = seat;
    this.#table = table;
  }

  ready(): void {}

  /** How many rounds it has eaten in. */
  async dine(): Promise<number> {
    for (let round = 0; round < ROUNDS; round++) {
      const other = Math.floor(Math.random() * PHILOSOPHERS);
      for (const fork of other === this.#seat ? [other] : [this.#seat, other])
        if (!(await this.#taken(fork))) return round;
      await this.#table.putBack([this.#seat, other]);
    }
    return ROUNDS;
  }

  async #taken(fork: number): Promise<boolean> {
    for (;;) {
      const isTaken = await this.#table.take(fork);
      if (isTaken !== false) return isTaken === true;
    }
  }
}

export async function run(): Promise<unknown> {
  const table = spawn(Table);
  const philosophers = Array.from({ length: PHILOSOPHERS }, (_, seat) => spawn(Philosopher, seat, table));
  await Promise.all(philosophers.map((philosopher) => philosopher.ready()));
  const timeout = new Promise<number>((resolve) => setTimeout(() => resolve(table.end()), TIMEOUT_MS));
  const eaten = await Promise.all(philosophers.map((philosopher) => philosopher.dine()));
  return { eaten, starved: eaten.some((rounds) => rounds < ROUNDS), held: await timeout };
}
