// How long a process that runs again is waited for once its main thread has taken the last event of a trace that was cut off. It says that it comes back from what it is at; when it does not,
// it is in native code, perhaps for ever: what is known of it by then is what came of it.
import { stuckIn, type Behind, type RunOutcome } from './outcome.ts';

/** Milliseconds for which a thread that has nothing left to take may be at something, without a sign of life. */
export const PATIENCE_BEHIND = 5000;

export class Patience {
  readonly #giveUp: () => void;
  readonly #began = performance.now();
  #behind: Behind | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What came of one that was given up. */
  outcome: RunOutcome | undefined;

  constructor(giveUp: () => void) {
    this.#giveUp = giveUp;
  }

  isBehind(behind: Behind): void {
    this.#behind = behind;
  }

  /** From now on, if it is behind. */
  begins(): void {
    if (this.#behind === undefined) return;
    const behind = this.#behind;
    this.#timer = setTimeout(() => {
      const { stretches: _, ...progress } = behind;
      this.outcome = {
        workers: [{ ...progress, stop: 'cut off' }],
        missing: [],
        stuck: [stuckIn(behind)],
        milliseconds: performance.now() - this.#began,
      };
      this.#giveUp();
    }, PATIENCE_BEHIND);
  }

  /** It has said something. */
  ends(): void {
    clearTimeout(this.#timer);
  }
}
