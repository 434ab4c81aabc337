// Runs a program with all its actors on the main thread, on one worker, or on two. On two workers the runtime places
// the actors, as it does for programs that do not choose.

import { spawnWith, start, type App, type FarRef } from 'turntable';
import { WORKER_COUNTS, type WorkerSetup } from './options.ts';
import { Run } from './run.ts';

/** Starts the app: create one per process. */
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

  /** Returns the number of handled messages on all threads. */
  async turns(): Promise<number> {
    const { workers } = await this.#app.stats();
    return workers.reduce((sum, { turns }) => sum + turns, 0);
  }

  /** Returns the number of handled messages on the busiest thread. */
  async turnsOfBusiest(): Promise<number> {
    const { workers } = await this.#app.stats();
    return Math.max(...workers.map(({ turns }) => turns));
  }
}
