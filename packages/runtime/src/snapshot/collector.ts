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

interface Pending {
  readonly phase: number;
  /** Workers whose parts are missing; known when the main thread has cut. */
  missing: Set<number> | undefined;
  readonly parts: Part[];
  resolve(snapshot: Snapshot): void;
  reject(reason: unknown): void;
}

/** Snapshots that are written at once. */
const MOST = 2;

export class Collector {
  readonly #ports: CollectorPorts;
  readonly #pending = new Map<number, Pending>();
  /** Of those who wait for one that has not begun. */
  #next: { readonly snapshot: Promise<Snapshot>; begin(): void } | undefined;

  constructor(ports: CollectorPorts) {
    this.#ports = ports;
  }

  /** A snapshot that begins from now on. */
  take(): Promise<Snapshot> {
    return this.#ports.agreed?.()?.then(() => this.take()) ?? this.#take();
  }

  #take(): Promise<Snapshot> {
    if (this.#pending.size < MOST) return this.#begin();
    if (this.#next === undefined) {
      const { promise, resolve } = Promise.withResolvers<Snapshot>();
      this.#next = { snapshot: promise, begin: () => resolve(this.take()) };
    }
    return this.#next.snapshot;
  }

  #begin(): Promise<Snapshot> {
    const { promise, resolve, reject } = Promise.withResolvers<Snapshot>();
    const phase = this.#ports.begin();
    this.#pending.set(phase, { phase, missing: undefined, parts: [], resolve, reject });
    return promise;
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

  /** A worker cannot have its part. */
  failed(worker: number, phase: number, reason: unknown): void {
    const pending = this.#pending.get(phase);
    if (pending === undefined) return;
    this.#end(pending);
    this.#ports.abandoned?.(phase);
    const why = reason instanceof Error ? reason.message : String(reason);
    const where = worker === 0 ? 'the main thread' : `worker ${worker}`;
    pending.reject(
      new RuntimeError('TT_NO_SNAPSHOT', `there is no snapshot ${phase}: ${where}: ${why}`, { cause: reason }),
    );
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
      this.#end(pending);
      pending.resolve({ phase: pending.phase, parts });
    }
  }

  #end({ phase }: Pending): void {
    this.#pending.delete(phase);
    const next = this.#next;
    this.#next = undefined;
    next?.begin();
  }
}
