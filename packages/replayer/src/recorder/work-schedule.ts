// When the next snapshot is due by what the program has computed since the last one: who runs it again has to compute about as much from there on. Snapshots take no more than
// a share of the processor, however large the state is: then they are rarer.

/** What has to be computed for each one, as so many times what writing it takes: a tenth. */
const MIN_WORK_PER_COST = 10;
/** Of so many the one that took least counts: the first takes longer than others, and so does one while the machine is busy. */
const COST_SAMPLES = 3;

/** So many times as often there is a bare cut (docs/snapshots.md): what is to be run again from a state behind one is as much less. */
const CUT_POINTS_PER_SNAPSHOT = 5;

export class WorkSchedule {
  readonly #intervalMs: number;
  /** Milliseconds of the processor's that the process has taken. */
  readonly #cpuMs: () => number;
  #lastSnapshotMs: number;
  /** The same, since the last cut of any kind. */
  #lastCutMs: number;
  /** What the last ones have taken. */
  #costsMs: readonly number[] = Array.from({ length: COST_SAMPLES }, () => 0);

  /** @param intervalMs milliseconds */
  constructor(intervalMs: number, readCpuMs: () => number) {
    this.#intervalMs = intervalMs;
    this.#cpuMs = readCpuMs;
    this.#lastSnapshotMs = this.#lastCutMs = readCpuMs();
  }

  /** Whether a bare cut is, until there is one. */
  isCutPointDue(): boolean {
    return this.#cpuMs() - this.#lastCutMs >= this.#intervalMs / CUT_POINTS_PER_SNAPSHOT;
  }

  /** There is a bare one. */
  noteCutPoint(): void {
    this.#lastCutMs = this.#cpuMs();
  }

  /** One is about to be taken: answers who is told when it is on the disk, and for how long it has kept the threads, all together. */
  startSnapshot(): (pausedMs: number) => void {
    const startMs = this.#cpuMs();
    this.#lastCutMs = startMs;
    return (pausedMs) => {
      const cpuMs = this.#cpuMs();
      this.#lastSnapshotMs = cpuMs;
      // What else was computed meanwhile is in the one, what else the machine has done in the other.
      this.#costsMs = [...this.#costsMs.slice(1), Math.min(pausedMs, cpuMs - startMs)];
    };
  }

  /** Whether it is; says so once. */
  takeDue(): boolean {
    const cpuMs = this.#cpuMs();
    if (cpuMs - this.#lastSnapshotMs < Math.max(this.#intervalMs, MIN_WORK_PER_COST * Math.min(...this.#costsMs)))
      return false;
    this.#lastSnapshotMs = cpuMs;
    return true;
  }
}
