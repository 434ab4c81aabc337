// The snapshots of all workers, as the main thread has them: triggered, put together from their parts, given up if a part cannot be had. So many
// may be written at once; who asks for more gets the next one.

import { RuntimeError } from '../runtime-error.ts';
import type { PartDelivery } from './worker-snapshots.ts';

/** A snapshot of the whole program. */
export interface Snapshot {
  readonly phase: number;
  readonly parts: readonly WorkerPart[];
}

/** What is gone on from. */
export interface StoredSnapshot {
  readonly phase: number;
  readonly parts: readonly StoredSnapshotPart[];
}

export interface StoredSnapshotPart {
  readonly worker: number;
  /** How many have had that number before it. */
  readonly epoch: number;
  readonly bytes: Uint8Array;
}

/** Its bytes are there unless they have gone elsewhere. */
export interface WorkerPart extends PartDelivery, Omit<StoredSnapshotPart, 'bytes'> {}

export interface SnapshotCollectorDeps {
  /** Begins a phase on all workers. */
  startPhase(): number;
  /** Answers when all workers know the same of who has ended, unless they do: otherwise the parts would not fit together. */
  whenLossesSeen?(): Promise<void> | undefined;
  /** There will be no snapshot of that phase. */
  onAbandoned?(phase: number): void;
}

type SnapshotWaiter = PromiseWithResolvers<Snapshot>;

interface PendingSnapshot {
  readonly phase: number;
  /** How many there were for the same waiter before it. */
  readonly attempt: number;
  /** Workers whose parts are missing; known when the main thread has cut. */
  missingWorkers: Set<number> | undefined;
  readonly parts: WorkerPart[];
  readonly waiter: SnapshotWaiter;
}

/** Snapshots that are written at once. */
const MAX_PENDING = 2;
/** As often another one is begun in place of one that was given up for what the next one knows of. */
const MAX_ATTEMPTS = 3;

export class SnapshotCollector {
  readonly #deps: SnapshotCollectorDeps;
  readonly #pending = new Map<number, PendingSnapshot>();
  /** Of those who wait for one that has not begun. */
  #nextWaiter: SnapshotWaiter | undefined;

  constructor(deps: SnapshotCollectorDeps) {
    this.#deps = deps;
  }

  /** A snapshot that begins from now on. Those of two phases are answered in their order. */
  take(): Promise<Snapshot> {
    const waiter: SnapshotWaiter = Promise.withResolvers();
    this.#take(waiter, 0);
    return waiter.promise;
  }

  /** Whether there is one on its way. */
  get isTaking(): boolean {
    return this.#pending.size > 0;
  }

  #take(waiter: SnapshotWaiter, attempt: number): void {
    const lossesSeen = this.#deps.whenLossesSeen?.();
    if (lossesSeen !== undefined) void lossesSeen.then(() => this.#take(waiter, attempt));
    else if (this.#pending.size < MAX_PENDING) this.#start(waiter, attempt);
    else if (this.#nextWaiter === undefined) this.#nextWaiter = waiter;
    else waiter.resolve(this.#nextWaiter.promise);
  }

  #start(waiter: SnapshotWaiter, attempt: number): void {
    const phase = this.#deps.startPhase();
    this.#pending.set(phase, { phase, attempt, missingWorkers: undefined, parts: [], waiter });
  }

  /** The main thread has cut; these workers are there, itself among them. */
  mainThreadCut(phase: number, workers: readonly number[]): void {
    const pending = this.#pending.get(phase);
    if (pending === undefined) return;
    pending.missingWorkers = new Set(workers);
    for (const { worker } of pending.parts) pending.missingWorkers.delete(worker);
    this.#resolveComplete();
  }

  addPart(part: WorkerPart): void {
    const pending = this.#pending.get(part.phase);
    if (pending === undefined) return;
    pending.parts.push(part);
    pending.missingWorkers?.delete(part.worker);
    this.#resolveComplete();
  }

  /** A worker cannot have its part. `again`: the next one may be had. */
  partFailed(worker: number, phase: number, reason: unknown, isRetryable = false): void {
    const pending = this.#pending.get(phase);
    if (pending === undefined) return;
    const { waiter, attempt } = pending;
    this.#deps.onAbandoned?.(phase);
    this.#pending.delete(phase);
    if (isRetryable && attempt < MAX_ATTEMPTS) this.#take(waiter, attempt + 1);
    else {
      const message = reason instanceof Error ? reason.message : String(reason);
      const where = worker === 0 ? 'the main thread' : `worker ${worker}`;
      waiter.reject(
        new RuntimeError('TT_NO_SNAPSHOT', `there is no snapshot ${phase}: ${where}: ${message}`, { cause: reason }),
      );
    }
    this.#startNext();
    this.#resolveComplete();
  }

  /** A worker has ended. */
  workerLost(worker: number): void {
    for (const { phase, missingWorkers } of this.#pending.values())
      if (missingWorkers === undefined || missingWorkers.has(worker)) this.partFailed(worker, phase, 'it has ended');
  }

  /** Those that are whole are answered in their order. */
  #resolveComplete(): void {
    for (const pending of this.#pending.values()) {
      if (pending.missingWorkers === undefined || pending.missingWorkers.size > 0) return;
      const parts = pending.parts.toSorted((a, b) => a.worker - b.worker);
      this.#pending.delete(pending.phase);
      pending.waiter.resolve({ phase: pending.phase, parts });
      this.#startNext();
    }
  }

  /** There may be room for who waits. */
  #startNext(): void {
    const next = this.#nextWaiter;
    if (next === undefined || this.#pending.size >= MAX_PENDING) return;
    this.#nextWaiter = undefined;
    this.#take(next, 0);
  }
}
