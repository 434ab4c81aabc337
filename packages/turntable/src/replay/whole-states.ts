// The states that the main thread of a run again hears of, part by part: which are whole is said to the process that has started it, which keeps them. It has all parts as soon as they are there: here
// nothing of them is held.
import type { Part } from '@turntable/runtime';
import { say } from './saying.ts';
import type { StateCuts } from './state-cuts.ts';

/** Bytes of states as they are in memory: a third of it, or less, is what they take on the disk. Of more every second one goes. */
const MOST = 768 << 20;

interface Pending {
  /** Those whose parts it is to have; known when the main thread has cut. */
  workers: readonly number[] | undefined;
  readonly lives: Map<number, number>;
  bytes: number;
}

interface Whole {
  readonly phase: number;
  readonly bytes: number;
}

export class WholeStates {
  readonly #cuts: StateCuts;
  readonly #most: number;
  readonly #pending = new Map<number, Pending>();
  #whole: Whole[] = [];

  constructor(cuts: StateCuts, most: number = MOST) {
    this.#cuts = cuts;
    this.#most = most;
  }

  /** The main thread has cut. */
  cut(phase: number, workers: readonly number[]): void {
    this.#of(phase).workers = workers;
    this.#look(phase);
  }

  part({ phase, worker, life, bytes }: Part): void {
    if (bytes === undefined) return;
    say({ state: { phase, worker } }, bytes);
    const its = this.#of(phase);
    its.lives.set(worker, life);
    its.bytes += bytes.length;
    this.#look(phase);
  }

  #of(phase: number): Pending {
    let its = this.#pending.get(phase);
    if (its === undefined) this.#pending.set(phase, (its = { workers: undefined, lives: new Map(), bytes: 0 }));
    return its;
  }

  #look(phase: number): void {
    const { workers, lives, bytes } = this.#of(phase);
    if (workers?.every((worker) => lives.has(worker)) !== true) return;
    // What is not whole yet of those before it lacks a part for good: of each thread parts come in their order.
    for (const each of this.#pending.keys()) if (each <= phase) this.#pending.delete(each);
    this.#cuts.whole();
    say({ whole: { phase, lives: Object.fromEntries(lives) } });
    this.#whole.push({ phase, bytes });
    if (this.#whole.reduce((sum, each) => sum + each.bytes, 0) > this.#most) this.#thin();
  }

  /** What is left lies twice as far apart, and so does what comes. */
  #thin(): void {
    const dropped = this.#whole.filter((_, at) => at % 2 === 0);
    this.#whole = this.#whole.filter((_, at) => at % 2 === 1);
    this.#cuts.spread();
    say({ dropped: dropped.map(({ phase }) => phase) });
  }
}
