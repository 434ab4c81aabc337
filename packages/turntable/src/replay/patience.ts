// How long a process that runs again is waited for once its main thread has taken the last event of a trace that was cut off. It says that it comes back from what it is at; when it does not,
// it is in native code, perhaps for ever: what is known of it by then is what came of it.
import type { Behind, RunOutcome } from './outcome.ts';

/** Milliseconds without a sign of life. */
const PATIENCE = 5000;

export class Patience {
  readonly #giveUp: () => void;
  readonly #milliseconds: number;
  readonly #began = performance.now();
  #behind: Behind | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** What came of one that was given up. */
  outcome: RunOutcome | undefined;

  constructor(giveUp: () => void, milliseconds: number = PATIENCE) {
    this.#giveUp = giveUp;
    this.#milliseconds = milliseconds;
  }

  isBehind(behind: Behind): void {
    this.#behind = behind;
  }

  /** From now on, if it is behind. */
  begins(): void {
    if (this.#behind === undefined) return;
    const behind = this.#behind;
    this.#timer = setTimeout(() => {
      const { worker, life, stretches, ...progress } = behind;
      this.outcome = {
        workers: [{ worker, life, stop: 'cut off', ...progress }],
        missing: [],
        stuck: [{ worker, life, stretches }],
        milliseconds: performance.now() - this.#began,
      };
      this.#giveUp();
    }, this.#milliseconds);
  }

  /** It has said something. */
  ends(): void {
    clearTimeout(this.#timer);
  }
}
