// Chooses the worker of a new actor. The choice depends only on the actors that this worker placed and on the workers
// that were lost, so that placement is a function of the run and not of the machine's load.

import { RuntimeError } from '../runtime-error.ts';

export interface WorkerLoad {
  /** Index of the worker; 0 is the main thread. */
  readonly worker: number;
  /** Number of actors that this worker placed on `worker`. */
  readonly actors: number;
}

/** Choice of a worker: fewest actors, the spawner's worker, the main thread, an index, or a function's result. */
export type Placement = 'least-loaded' | 'same' | 'main' | number | ((loads: readonly WorkerLoad[]) => number);

/** Number of actors that this worker placed on each worker, and whether each worker was lost. */
export interface ActorPlacementState {
  readonly isClosed: boolean;
  readonly actorCounts: readonly number[];
  readonly lostWorkers: readonly boolean[];
}

export class ActorPlacement {
  readonly #ownWorker: number;
  #actorCounts: number[] = [];
  #isLost: boolean[] = [];
  #default: Placement = 'main';
  /** Whether the program has closed the app. */
  #isClosed = false;
  /** Whether the threads are being ended. Not part of the state, because a replay ends its threads at other times. */
  #isEnding = false;

  constructor(ownWorker: number, workers: number, placement: Placement) {
    this.#ownWorker = ownWorker;
    this.configure(workers, placement);
  }

  /** Sets the number of workers and the default placement. Must be called before the first actor is placed. */
  configure(workers: number, placement: Placement): void {
    this.#actorCounts = Array.from({ length: workers + 1 }, () => 0);
    this.#isLost = this.#actorCounts.map(() => false);
    this.#default = placement;
  }

  get workers(): number {
    return this.#actorCounts.length - 1;
  }

  /** Called when the program closes the app. */
  close(): void {
    this.#isClosed = true;
  }

  /** Called when the threads are ended. */
  end(): void {
    this.#isEnding = true;
  }

  choose(placement: Placement = this.#default): number {
    if (this.#isClosed || this.#isEnding)
      throw new RuntimeError('TT_CLOSED', 'the app is closing and spawns no more actors; spawn them before it closes');
    const worker = this.#resolve(placement);
    if (!Number.isInteger(worker) || worker < 0 || worker >= this.#actorCounts.length)
      throw new RuntimeError(
        'TT_PLACEMENT',
        `there is no worker ${String(worker)}; ${this.workers === 0 ? 'there is only the main thread, 0' : `choose 0, the main thread, or a worker from 1 to ${this.workers}`}`,
      );
    if (this.#isLost[worker] === true)
      throw new RuntimeError('TT_PLACEMENT', `worker ${worker} has ended; spawn the actor on another worker`);
    this.#actorCounts[worker] = (this.#actorCounts[worker] ?? 0) + 1;
    return worker;
  }

  #resolve(placement: Placement): number {
    if (typeof placement === 'number') return placement;
    if (placement === 'main') return 0;
    if (placement === 'same') return this.#ownWorker;
    if (typeof placement === 'function') return placement(this.#loads());
    return placement === 'least-loaded' ? this.#leastLoaded() : placement;
  }

  /** The main thread is the last choice: actors would delay its own work. */
  #leastLoaded(): number {
    let leastLoaded = 0;
    for (let worker = 1; worker < this.#actorCounts.length; worker++) {
      if (this.#isLost[worker] === true) continue;
      if (leastLoaded === 0 || (this.#actorCounts[worker] as number) < (this.#actorCounts[leastLoaded] as number))
        leastLoaded = worker;
    }
    return leastLoaded;
  }

  #loads(): WorkerLoad[] {
    return this.#actorCounts.flatMap((actors, worker) =>
      worker === 0 || this.#isLost[worker] === true ? [] : [{ worker, actors }],
    );
  }

  /** Forgets the actors of a lost worker; actors are placed there again only if it has a successor. */
  workerLost(worker: number, isReplaced: boolean): void {
    this.#actorCounts[worker] = 0;
    this.#isLost[worker] = !isReplaced;
  }

  getState(): ActorPlacementState {
    return { isClosed: this.#isClosed, actorCounts: [...this.#actorCounts], lostWorkers: [...this.#isLost] };
  }

  /** Replaces the state; the number of workers must be the same. */
  setState({ isClosed, actorCounts, lostWorkers }: ActorPlacementState): void {
    this.#isClosed = isClosed;
    this.#actorCounts = [...actorCounts];
    this.#isLost = [...lostWorkers];
  }
}
