// Collects the snapshots of all workers on the main thread: triggers them, joins their parts, and abandons a snapshot
// when a part fails. At most `MAX_PENDING` snapshots are written at once; later requests share the next one.

import { RuntimeError } from '../runtime-error.ts';
import type { PartDelivery } from './worker-snapshots.ts';

/** A snapshot of the whole program. */
export interface Snapshot {
  readonly phase: number;
  readonly parts: readonly WorkerPart[];
}

/** A snapshot to restore. */
export interface StoredSnapshot {
  readonly phase: number;
  readonly parts: readonly StoredSnapshotPart[];
}

export interface StoredSnapshotPart {
  readonly worker: number;
  /** Number of workers that had this index before. */
  readonly epoch: number;
  readonly bytes: Uint8Array;
}

/** Part of a worker; without bytes if a sink took them. */
export interface WorkerPart extends PartDelivery, Omit<StoredSnapshotPart, 'bytes'> {}

export interface SnapshotCollectorDeps {
  /** Starts a phase on all workers. */
  startPhase(): number;
  /** Settles when all workers know of the same losses, since their parts must agree; undefined if they do already. */
  whenLossesSeen?(): Promise<void> | undefined;
  /** Reports that there will be no snapshot of a phase. */
  onAbandoned?(phase: number): void;
}

type SnapshotWaiter = PromiseWithResolvers<Snapshot>;

interface PendingSnapshot {
  readonly phase: number;
  /** Number of earlier attempts for the same waiter. */
  readonly attempt: number;
  /** Workers whose parts are missing; undefined until the main thread has cut. */
  missingWorkers: Set<number> | undefined;
  readonly parts: WorkerPart[];
  readonly waiter: SnapshotWaiter;
}

/** Maximum number of snapshots that are written at once. */
const MAX_PENDING = 2;
/** Maximum number of retries after failures that the next snapshot avoids. */
const MAX_ATTEMPTS = 3;

export class SnapshotCollector {
  readonly #deps: SnapshotCollectorDeps;
  readonly #pending = new Map<number, PendingSnapshot>();
  /** Promise of the snapshot that has not started yet. */
  #nextWaiter: SnapshotWaiter | undefined;

  constructor(deps: SnapshotCollectorDeps) {
    this.#deps = deps;
  }

  /** Takes a snapshot that starts after this call. Snapshots are delivered in the order of their phases. */
  take(): Promise<Snapshot> {
    const waiter: SnapshotWaiter = Promise.withResolvers();
    this.#take(waiter, 0);
    return waiter.promise;
  }

  /** Whether a snapshot is being taken. */
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

  /** Reports the main thread's cut. `workers`: all running workers, including the main thread. */
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

  /** Reports that a worker cannot deliver its part. `isRetryable`: the next snapshot may succeed. */
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
        new RuntimeError('TT_NO_SNAPSHOT', `snapshot ${phase} could not be taken: ${where}: ${message}`, {
          cause: reason,
        }),
      );
    }
    this.#startNext();
    this.#resolveComplete();
  }

  /** Reports the loss of a worker. */
  workerLost(worker: number): void {
    for (const { phase, missingWorkers } of this.#pending.values())
      if (missingWorkers === undefined || missingWorkers.has(worker)) this.partFailed(worker, phase, 'it has ended');
  }

  /** Delivers complete snapshots in order. */
  #resolveComplete(): void {
    for (const pending of this.#pending.values()) {
      if (pending.missingWorkers === undefined || pending.missingWorkers.size > 0) return;
      const parts = pending.parts.toSorted((a, b) => a.worker - b.worker);
      this.#pending.delete(pending.phase);
      pending.waiter.resolve({ phase: pending.phase, parts });
      this.#startNext();
    }
  }

  /** Starts the awaited snapshot if the limit allows it. */
  #startNext(): void {
    const next = this.#nextWaiter;
    if (next === undefined || this.#pending.size >= MAX_PENDING) return;
    this.#nextWaiter = undefined;
    this.#take(next, 0);
  }
}
