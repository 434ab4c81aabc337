// Schedules snapshots by the work that the program has computed since the last one, because a replay from there has to
// compute about the same. Writing snapshots takes a limited share of the processor: large states have fewer snapshots.

/** Least work between two snapshots, as a multiple of their cost; limits the share to a tenth. */
const MIN_WORK_PER_COST = 10;
/** The cheapest of this many snapshots counts: the first one is slower, and so is one on a busy machine. */
const COST_SAMPLES = 3;

/** Cut points between two snapshots (docs/snapshots.md); they shorten the replay after a checkpoint. */
const CUT_POINTS_PER_SNAPSHOT = 5;

export class WorkSchedule {
  readonly #intervalMs: number;
  /** Processor time of the process in milliseconds. */
  readonly #cpuMs: () => number;
  #lastSnapshotMs: number;
  /** Processor time at the last snapshot or cut point. */
  #lastCutMs: number;
  /** Costs of the last snapshots. */
  #costsMs: readonly number[] = Array.from({ length: COST_SAMPLES }, () => 0);

  /** @param intervalMs processor time between two snapshots */
  constructor(intervalMs: number, readCpuMs: () => number) {
    this.#intervalMs = intervalMs;
    this.#cpuMs = readCpuMs;
    this.#lastSnapshotMs = this.#lastCutMs = readCpuMs();
  }

  /** Whether a cut point is due; true until one is made. */
  isCutPointDue(): boolean {
    return this.#cpuMs() - this.#lastCutMs >= this.#intervalMs / CUT_POINTS_PER_SNAPSHOT;
  }

  /** Must be called when a cut point was made. */
  noteCutPoint(): void {
    this.#lastCutMs = this.#cpuMs();
  }

  /**
   * Must be called before a snapshot. The result must be called when it is written, with the time for which it has
   * blocked the threads in total.
   */
  startSnapshot(): (pausedMs: number) => void {
    const startMs = this.#cpuMs();
    this.#lastCutMs = startMs;
    return (pausedMs) => {
      const cpuMs = this.#cpuMs();
      this.#lastSnapshotMs = cpuMs;
      // The processor time includes other work of the program; the blocked time includes other work of the machine.
      this.#costsMs = [...this.#costsMs.slice(1), Math.min(pausedMs, cpuMs - startMs)];
    };
  }

  /** Whether a snapshot is due; returns true once. */
  takeDue(): boolean {
    const cpuMs = this.#cpuMs();
    if (cpuMs - this.#lastSnapshotMs < Math.max(this.#intervalMs, MIN_WORK_PER_COST * Math.min(...this.#costsMs)))
      return false;
    this.#lastSnapshotMs = cpuMs;
    return true;
  }
}
