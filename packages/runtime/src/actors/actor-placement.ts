// Where an actor is to live. Decided from what this worker knows by itself, how many it has placed where and which workers have ended:
// so where actors live is a function of the run, not of the machine's load.

import { RuntimeError } from '../runtime-error.ts';

export interface WorkerLoad {
  /** 0 is the main thread. */
  readonly worker: number;
  /** Actors that were placed there from here. */
  readonly actors: number;
}

/** The main thread, the worker of who spawns, the one with the fewest actors, a certain one, or whichever a function chooses. */
export type Placement = 'least-loaded' | 'same' | 'main' | number | ((loads: readonly WorkerLoad[]) => number);

/** How many actors were placed where from here, and which workers are no place any more. */
export interface ActorPlacementState {
  readonly actorCounts: readonly number[];
  readonly lostWorkers: readonly boolean[];
}

export class ActorPlacement {
  readonly #ownWorker: number;
  #actorCounts: number[] = [];
  #isLost: boolean[] = [];
  #default: Placement = 'main';
  #isClosed = false;

  constructor(ownWorker: number, workers: number, placement: Placement) {
    this.#ownWorker = ownWorker;
    this.configure(workers, placement);
  }

  /** Before the first actor. */
  configure(workers: number, placement: Placement): void {
    this.#actorCounts = Array.from({ length: workers + 1 }, () => 0);
    this.#isLost = this.#actorCounts.map(() => false);
    this.#default = placement;
  }

  get workers(): number {
    return this.#actorCounts.length - 1;
  }

  /** No more actors are placed from here. */
  close(): void {
    this.#isClosed = true;
  }

  choose(placement: Placement = this.#default): number {
    if (this.#isClosed) throw new RuntimeError('TT_CLOSED', 'the app is closing; it spawns no more actors');
    const worker = this.#resolve(placement);
    if (!Number.isInteger(worker) || worker < 0 || worker >= this.#actorCounts.length)
      throw new RuntimeError(
        'TT_PLACEMENT',
        `there is no worker ${String(worker)}; there are the main thread, 0, and workers 1 to ${this.workers}`,
      );
    if (this.#isLost[worker] === true) throw new RuntimeError('TT_PLACEMENT', `worker ${worker} has ended`);
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

  /** Work keeps the main thread from its own, so actors live there only if there is no other place. */
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

  /** With it, its actors; it is a place again if another one has it. */
  workerLost(worker: number, isReplaced: boolean): void {
    this.#actorCounts[worker] = 0;
    this.#isLost[worker] = !isReplaced;
  }

  getState(): ActorPlacementState {
    return { actorCounts: [...this.#actorCounts], lostWorkers: [...this.#isLost] };
  }

  /** Of as many workers. */
  setState({ actorCounts, lostWorkers }: ActorPlacementState): void {
    this.#actorCounts = [...actorCounts];
    this.#isLost = [...lostWorkers];
  }
}
