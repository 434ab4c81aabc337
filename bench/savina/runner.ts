// Where a program runs: all of its actors, the one that runs it included, are on the main thread alone, on one worker, or on two. On two it is the
// runtime that spreads them, as it does for a program that says nothing about it.

import { spawnWith, start, type App, type FarRef } from 'turntable';
import { WORKER_COUNTS, type WorkerSetup } from './options.ts';
import { Run } from './run.ts';

/** Once a process. */
export class Runner {
  readonly #app: App;
  readonly #on: number;

  constructor(workerSetup: WorkerSetup) {
    const workers = WORKER_COUNTS[workerSetup];
    this.#app = start({ workers });
    this.#on = Math.min(workers, 1);
  }

  spawn(program: string, size: string): FarRef<Run> {
    return spawnWith({ on: this.#on }, Run, program, size);
  }

  /** How many messages have been handled, on all threads. */
  async turns(): Promise<number> {
    const { workers } = await this.#app.stats();
    return workers.reduce((sum, { turns }) => sum + turns, 0);
  }

  /** On the thread that has handled most. */
  async turnsOfBusiest(): Promise<number> {
    const { workers } = await this.#app.stats();
    return Math.max(...workers.map(({ turns }) => turns));
  }
}
