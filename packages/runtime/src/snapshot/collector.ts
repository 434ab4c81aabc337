// The snapshots of all workers, as the main thread has them: triggered, put together from their parts, given up if a part cannot be had. So many
// may be written at once; who asks for more gets the next one.

import { RuntimeError } from '../runtime-error.ts';
import type { Delivery } from './snapshots.ts';

/** A snapshot of the whole program. */
export interface Snapshot {
  readonly phase: number;
  readonly parts: readonly Part[];
}

/** What is gone on from. */
export interface StoredSnapshot {
  readonly phase: number;
  readonly parts: readonly StoredPart[];
}

export interface StoredPart {
  readonly worker: number;
  /** How many have had that number before it. */
  readonly life: number;
  readonly bytes: Uint8Array;
}

/** Its bytes are there unless they have gone elsewhere. */
export interface Part extends Delivery, Omit<StoredPart, 'bytes'> {}

export interface CollectorPorts {
  /** Begins a phase on all workers. */
  begin(): number;
  /** Answers when all workers know the same of who has ended, unless they do: otherwise the parts would not fit together. */
  agreed?(): Promise<void> | undefined;
  /** There will be no snapshot of that phase. */
  abandoned?(phase: number): void;
}

type Waiter = PromiseWithResolvers<Snapshot>;

interface Pending {
  readonly phase: number;
  /** How many there were for the same waiter before it. */
  readonly attempt: number;
  /** Workers whose parts are missing; known when the main thread has cut. */
  missing: Set<number> | undefined;
  readonly parts: Part[];
  readonly waiter: Waiter;
}

/** Snapshots that are written at once. */
const MOST = 2;
/** As often another one is begun in place of one that was given up for what the next one knows of. */
const ATTEMPTS = 3;

export class Collector {
  readonly #ports: CollectorPorts;
  readonly #pending = new Map<number, Pending>();
  /** Of those who wait for one that has not begun. */
  #next: Waiter | undefined;

  constructor(ports: CollectorPorts) {
    this.#ports = ports;
  }

  /** A snapshot that begins from now on. Those of two phases are answered in their order. */
  take(): Promise<Snapshot> {
    const waiter: Waiter = Promise.withResolvers();
    this.#take(waiter, 0);
    return waiter.promise;
  }

  /** Whether there is one on its way. */
  get isTaking(): boolean {
    return this.#pending.size > 0;
  }

  #take(waiter: Waiter, attempt: number): void {
    const agreed = this.#ports.agreed?.();
    if (agreed !== undefined) void agreed.then(() => this.#take(waiter, attempt));
    else if (this.#pending.size < MOST) this.#begin(waiter, attempt);
    else if (this.#next === undefined) this.#next = waiter;
    else waiter.resolve(this.#next.promise);
  }

  #begin(waiter: Waiter, attempt: number): void {
    const phase = this.#ports.begin();
    this.#pending.set(phase, { phase, attempt, missing: undefined, parts: [], waiter });
  }

  /** The main thread has cut; these workers are there, itself among them. */
  cut(phase: number, workers: readonly number[]): void {
    const pending = this.#pending.get(phase);
    if (pending === undefined) return;
    pending.missing = new Set(workers);
    for (const { worker } of pending.parts) pending.missing.delete(worker);
    this.#look();
  }

  part(part: Part): void {
    const pending = this.#pending.get(part.phase);
    if (pending === undefined) return;
    pending.parts.push(part);
    pending.missing?.delete(part.worker);
    this.#look();
  }

  /** A worker cannot have its part. `again`: the next one may be had. */
  failed(worker: number, phase: number, reason: unknown, again = false): void {
    const pending = this.#pending.get(phase);
    if (pending === undefined) return;
    const { waiter, attempt } = pending;
    this.#ports.abandoned?.(phase);
    this.#pending.delete(phase);
    if (again && attempt < ATTEMPTS) this.#take(waiter, attempt + 1);
    else {
      const why = reason instanceof Error ? reason.message : String(reason);
      const where = worker === 0 ? 'the main thread' : `worker ${worker}`;
      waiter.reject(
        new RuntimeError('TT_NO_SNAPSHOT', `there is no snapshot ${phase}: ${where}: ${why}`, { cause: reason }),
      );
    }
    this.#goOn();
    this.#look();
  }

  /** A worker has ended. */
  lost(worker: number): void {
    for (const { phase, missing } of this.#pending.values())
      if (missing === undefined || missing.has(worker)) this.failed(worker, phase, 'it has ended');
  }

  /** Those that are whole are answered in their order. */
  #look(): void {
    for (const pending of this.#pending.values()) {
      if (pending.missing === undefined || pending.missing.size > 0) return;
      const parts = pending.parts.toSorted((a, b) => a.worker - b.worker);
      this.#pending.delete(pending.phase);
      pending.waiter.resolve({ phase: pending.phase, parts });
      this.#goOn();
    }
  }

  /** There may be room for who waits. */
  #goOn(): void {
    const next = this.#next;
    if (next === undefined || this.#pending.size >= MOST) return;
    this.#next = undefined;
    this.#take(next, 0);
  }
}
