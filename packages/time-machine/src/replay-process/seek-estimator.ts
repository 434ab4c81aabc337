// What ways take, as far as earlier ones have shown: by that it is known whether a process that stands before a place is there sooner than one that begins with a snapshot in between.

/** Milliseconds, and for one list of statements, until anything was seen. */
const INITIAL_START_MS = { cold: 700, standby: 250 } as const;
const INITIAL_MS_PER_LIST = 1 / 4000;
/** What is shorter, in lists, says nothing. */
const MIN_WORK = 20_000;
/** Milliseconds: no process begins in less. */
const MIN_START_MS = 100;

/** How a process begins: from nothing, or it has begun before it was known what for. */
export type StartMode = keyof typeof INITIAL_START_MS;

export class SeekEstimator {
  readonly #startMs: Record<StartMode, number> = { ...INITIAL_START_MS };
  #msPerList = INITIAL_MS_PER_LIST;

  /** A process has gone so far, in so many milliseconds. @param work as the itinerary has it */
  recordSeek(work: number, elapsedMs: number): void {
    if (work >= MIN_WORK) this.#msPerList = (this.#msPerList + elapsedMs / work) / 2;
  }

  /** One has begun, and gone so far. */
  recordStart(work: number, elapsedMs: number, mode: StartMode = 'cold'): void {
    const startMs = Math.max(MIN_START_MS, elapsedMs - work * this.#msPerList);
    this.#startMs[mode] = (this.#startMs[mode] + startMs) / 2;
  }

  /** Milliseconds. */
  seekMs(work: number): number {
    return work * this.#msPerList;
  }

  startMs(mode: StartMode): number {
    return this.#startMs[mode];
  }

  /** Whether a process that begins at its end is there before one that goes this way. @param delayMs milliseconds until that one can go */
  isSlowerThanStart(work: number, mode: StartMode = 'cold', delayMs = 0): boolean {
    return delayMs + this.seekMs(work) > this.startMs(mode);
  }
}
