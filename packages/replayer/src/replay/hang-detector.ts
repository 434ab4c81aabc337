// How long a process that runs again is waited for once its main thread has taken the last event of a trace that was cut off. It says that it comes back from what it is at; when it does not,
// it is in native code, perhaps for ever: what is known of it by then is what came of it.
import { toHungThread, type PastEndReport, type RunOutcome } from './replay-outcome.ts';

/** Milliseconds for which a thread that has nothing left to take may be at something, without a sign of life. */
export const PAST_END_TIMEOUT_MS = 5000;

export class HangDetector {
  readonly #onHang: () => void;
  readonly #startedAt = performance.now();
  #pastEnd: PastEndReport | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What came of one that was given up. */
  outcome: RunOutcome | undefined;

  constructor(onHang: () => void) {
    this.#onHang = onHang;
  }

  setPastEnd(pastEnd: PastEndReport): void {
    this.#pastEnd = pastEnd;
  }

  /** From now on, if it is behind. */
  startTimer(): void {
    if (this.#pastEnd === undefined) return;
    const pastEnd = this.#pastEnd;
    this.#timer = setTimeout(() => {
      const { tasks: _, ...progress } = pastEnd;
      this.outcome = {
        workers: [{ ...progress, stopReason: 'cut off' }],
        missingThreads: [],
        hungThreads: [toHungThread(pastEnd)],
        milliseconds: performance.now() - this.#startedAt,
      };
      this.#onHang();
    }, PAST_END_TIMEOUT_MS);
  }

  /** It has said something. */
  stopTimer(): void {
    clearTimeout(this.#timer);
  }
}
