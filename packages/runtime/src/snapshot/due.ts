// When the next snapshot is due, by what a thread has done since the last one.

import type { ThreadHost } from '../thread-host.ts';

/** After so many of each. */
export interface Pace {
  /** Messages handled. */
  readonly turns?: number | undefined;
  /** HTTP requests that have come in. */
  readonly requests?: number | undefined;
}

/** A scheduler, as far as its snapshots can say when the next one is due. */
interface DueSource {
  readonly snapshots: { whenDue(pace: Pace, callback: () => void): () => void } | undefined;
}

/** Of this thread. */
export function keepPace(
  { snapshots }: DueSource,
  host: Pick<ThreadHost, 'whenRequested'>,
  pace: Pace,
  callback: () => void,
): void {
  const requested = snapshots?.whenDue(pace, callback);
  if (requested !== undefined && pace.requests !== undefined) host.whenRequested(requested);
}

export class Due {
  readonly #pace: Pace;
  /** So far. */
  readonly #turns: () => number;
  readonly #callback: () => void;
  #requests = 0;
  #next = { turns: Infinity, requests: Infinity };

  constructor(pace: Pace, turns: () => number, callback: () => void) {
    this.#pace = pace;
    this.#turns = turns;
    this.#callback = callback;
    this.cut();
  }

  /** A snapshot begins. */
  cut(): void {
    const { turns = Infinity, requests = Infinity } = this.#pace;
    this.#next = { turns: this.#turns() + turns, requests: this.#requests + requests };
  }

  requested(): void {
    this.#requests++;
    this.look();
  }

  /** Whether it is; says so once. */
  look(): void {
    if (this.#turns() < this.#next.turns && this.#requests < this.#next.requests) return;
    this.#next = { turns: Infinity, requests: Infinity };
    this.#callback();
  }
}
