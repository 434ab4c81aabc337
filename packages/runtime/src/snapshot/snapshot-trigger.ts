// When the next snapshot is due, by what a thread has done since the last one.

import type { ThreadHost } from '../thread-host.ts';

/** After so many of each. */
export interface SnapshotInterval {
  /** Messages handled. */
  readonly turns?: number | undefined;
  /** HTTP requests that have come in. */
  readonly requests?: number | undefined;
}

/** A scheduler, as far as its snapshots can say when the next one is due. */
interface SnapshotTriggerSource {
  readonly snapshots: { onDue(interval: SnapshotInterval, callback: () => void): () => void } | undefined;
}

/** Of this thread. */
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
  /** So far. */
  readonly #turns: () => number;
  readonly #callback: () => void;
  #requests = 0;
  #next = { turns: Infinity, requests: Infinity };

  constructor(interval: SnapshotInterval, turnCount: () => number, callback: () => void) {
    this.#interval = interval;
    this.#turns = turnCount;
    this.#callback = callback;
    this.reset();
  }

  /** A snapshot begins. */
  reset(): void {
    const { turns: turnCount = Infinity, requests = Infinity } = this.#interval;
    this.#next = { turns: this.#turns() + turnCount, requests: this.#requests + requests };
  }

  onRequest(): void {
    this.#requests++;
    this.check();
  }

  /** Whether it is; says so once. */
  check(): void {
    if (this.#turns() < this.#next.turns && this.#requests < this.#next.requests) return;
    this.#next = { turns: Infinity, requests: Infinity };
    this.#callback();
  }
}
