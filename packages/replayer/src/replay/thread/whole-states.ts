// The states that the main thread of a run again hears of, part by part: which are whole is said to the process that has started it, which keeps them. It has all parts as soon as they are there: here
// nothing of them is held.
import type { Part } from '@turntable/runtime';
import { say } from './saying.ts';
import type { StateCuts } from './state-cuts.ts';

/** Bytes of parts that may wait for others: of more, the first states are given up. A thread may be far behind, and a lost one has no part. */
const MOST_WAITING = 256 << 20;

interface Pending {
  /** Those whose parts it is to have; known when the main thread has cut. */
  workers: readonly number[] | undefined;
  readonly lives: Map<number, number>;
  bytes: number;
}

export class WholeStates {
  readonly #cuts: Pick<StateCuts, 'whole'>;
  readonly #tell: typeof say;
  readonly #mostWaiting: number;
  readonly #pending = new Map<number, Pending>();
  /** Nothing more is made of states up to this phase: of each thread parts come in their order, so what is not whole by then lacks one for good. */
  #over = 0;

  constructor(cuts: Pick<StateCuts, 'whole'>, tell: typeof say = say, mostWaiting: number = MOST_WAITING) {
    this.#cuts = cuts;
    this.#tell = tell;
    this.#mostWaiting = mostWaiting;
  }

  /** The main thread has cut. */
  cut(phase: number, workers: readonly number[]): void {
    if (phase <= this.#over) return;
    this.#of(phase).workers = workers;
    this.#look(phase);
  }

  part({ phase, worker, life, bytes }: Pick<Part, 'phase' | 'worker' | 'life' | 'bytes'>): void {
    if (bytes === undefined || phase <= this.#over) return;
    this.#tell({ state: { phase, worker } }, bytes);
    const its = this.#of(phase);
    its.lives.set(worker, life);
    its.bytes += bytes.length;
    this.#look(phase);
    this.#giveUp();
  }

  #giveUp(): void {
    const bytes = (): number => [...this.#pending.values()].reduce((sum, each) => sum + each.bytes, 0);
    while (bytes() > this.#mostWaiting) this.#close(Math.min(...this.#pending.keys()));
  }

  /** That one and all before it. */
  #close(phase: number): void {
    this.#over = phase;
    const given = [...this.#pending.keys()].filter((each) => each <= phase);
    for (const each of given) this.#pending.delete(each);
    if (given.length > 0) this.#tell({ dropped: given });
  }

  #of(phase: number): Pending {
    let its = this.#pending.get(phase);
    if (its === undefined) this.#pending.set(phase, (its = { workers: undefined, lives: new Map(), bytes: 0 }));
    return its;
  }

  #look(phase: number): void {
    const { workers, lives } = this.#of(phase);
    if (workers?.every((worker) => lives.has(worker)) !== true) return;
    this.#pending.delete(phase);
    this.#cuts.whole();
    this.#tell({ whole: { phase, lives: Object.fromEntries(lives) } });
    this.#close(phase);
  }
}
