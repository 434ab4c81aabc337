// Decides when the next snapshot of a thread is due, by counting turns and requests since the last one.

import type { ThreadHost } from '../thread-host.ts';

/** Number of turns or requests after which a snapshot is due. */
export interface SnapshotInterval {
  /** Number of handled messages. */
  readonly turns?: number | undefined;
  /** Number of received HTTP requests. */
  readonly requests?: number | undefined;
}

/** The part of a scheduler that reports when a snapshot is due. */
interface SnapshotTriggerSource {
  readonly snapshots: { onDue(interval: SnapshotInterval, callback: () => void): () => void } | undefined;
}

/** Calls back when a snapshot of this thread is due. */
export function triggerSnapshots(
  { snapshots }: SnapshotTriggerSource,
  host: Pick<ThreadHost, 'onRequest'>,
  interval: SnapshotInterval,
  callback: () => void,
): void {
  const onRequest = snapshots?.onDue(interval, callback);
  if (onRequest !== undefined && interval.requests !== undefined) host.onRequest(onRequest);
}

export class SnapshotTrigger {
  readonly #interval: SnapshotInterval;
  /** Returns the number of turns of the worker. */
  readonly #turnCount: () => number;
  readonly #callback: () => void;
  #requests = 0;
  #next = { turns: Infinity, requests: Infinity };

  constructor(interval: SnapshotInterval, turnCount: () => number, callback: () => void) {
    this.#interval = interval;
    this.#turnCount = turnCount;
    this.#callback = callback;
    this.reset();
  }

  /** Restarts the interval when a snapshot begins. */
  reset(): void {
    const { turns = Infinity, requests = Infinity } = this.#interval;
    this.#next = { turns: this.#turnCount() + turns, requests: this.#requests + requests };
  }

  onRequest(): void {
    this.#requests++;
    this.check();
  }

  /** Calls back once if a snapshot is due. */
  check(): void {
    if (this.#turnCount() < this.#next.turns && this.#requests < this.#next.requests) return;
    this.#next = { turns: Infinity, requests: Infinity };
    this.#callback();
  }
}
