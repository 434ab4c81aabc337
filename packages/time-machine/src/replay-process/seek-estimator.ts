// Estimates the durations of seeks from earlier ones. The cursor compares the estimates to decide whether a process
// that is before a position gets there sooner than a new process that starts from a later snapshot.

/** Assumed milliseconds for the start of a process, before the first measurement. */
const INITIAL_START_MS = { cold: 700, standby: 250 } as const;
const INITIAL_MS_PER_LIST = 1 / 4000;
/** Minimum work, in lists of statements, of a seek that is used to measure the speed. */
const MIN_WORK = 20_000;
/** Lower bound for estimates: no process starts in less time. */
const MIN_START_MS = 100;

/** `cold`: a new process. `standby`: a standby process, which was started before its options were known. */
export type StartMode = keyof typeof INITIAL_START_MS;

export class SeekEstimator {
  readonly #startMs: Record<StartMode, number> = { ...INITIAL_START_MS };
  #msPerList = INITIAL_MS_PER_LIST;

  /** Learns from a seek of a process that had run before. @param work see `SeekPlan.workBetween` */
  recordSeek(work: number, elapsedMs: number): void {
    if (work >= MIN_WORK) this.#msPerList = (this.#msPerList + elapsedMs / work) / 2;
  }

  /** Learns from the first seek of a process, which includes the start of the process. */
  recordStart(work: number, elapsedMs: number, mode: StartMode = 'cold'): void {
    const startMs = Math.max(MIN_START_MS, elapsedMs - work * this.#msPerList);
    this.#startMs[mode] = (this.#startMs[mode] + startMs) / 2;
  }

  seekMs(work: number): number {
    return work * this.#msPerList;
  }

  startMs(mode: StartMode): number {
    return this.#startMs[mode];
  }

  /** Whether a seek takes longer than starting a process at its target. @param delayMs time before the seek begins */
  isSlowerThanStart(work: number, mode: StartMode = 'cold', delayMs = 0): boolean {
    return delayMs + this.seekMs(work) > this.startMs(mode);
  }
}
