// Kills a replaying process that hangs after its main thread has taken the last event of a cut-off trace. The main
// thread sends heartbeats from its event loop. Without heartbeats, the thread is in native code, perhaps forever, and
// its last report becomes the outcome.
import { toHungThread, type PastEndReport, type RunOutcome } from './replay-outcome.ts';

/** Timeout for a heartbeat of a main thread that has no events left. */
export const PAST_END_TIMEOUT_MS = 5000;

export class HangDetector {
  readonly #onHang: () => void;
  readonly #startedAt = performance.now();
  #pastEnd: PastEndReport | undefined;
  #timer: NodeJS.Timeout | undefined;
  outcome: RunOutcome | undefined;

  constructor(onHang: () => void) {
    this.#onHang = onHang;
  }

  setPastEnd(pastEnd: PastEndReport): void {
    this.#pastEnd = pastEnd;
  }

  /** Starts the timeout, if the main thread is past its last event. */
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

  /** Stops the timeout. Must be called when the process sends anything. */
  stopTimer(): void {
    clearTimeout(this.#timer);
  }
}
