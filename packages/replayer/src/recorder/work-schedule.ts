// Schedules snapshots by the processor time that the program has used since the last one: a replay from a snapshot
// takes about as much. Snapshots may take only a limited share of the processor time, so large states get fewer of
// them.

/** Minimum work between two snapshots, as a multiple of their cost. It limits the share of snapshots to a tenth. */
const MIN_WORK_PER_COST = 10;
/** Number of recent snapshots whose minimum is the cost, because snapshots on a busy machine take longer. */
const COST_SAMPLES = 3;

/** Number of cut points (docs/internals/snapshots.md) per snapshot; a run index can have checkpoints there. */
const CUT_POINTS_PER_SNAPSHOT = 5;

export class WorkSchedule {
  readonly #intervalMs: number;
  readonly #cpuMs: () => number;
  #lastSnapshotMs: number;
  /** Processor time at the last snapshot or cut point. */
  #lastCutMs: number;
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

  noteCutPoint(): void {
    this.#lastCutMs = this.#cpuMs();
  }

  /**
   * Must be called before a snapshot. The returned function must be called when the snapshot is written, with the total
   * time for which it has paused the threads.
   */
  startSnapshot(): (pausedMs: number) => void {
    const startMs = this.#cpuMs();
    this.#lastCutMs = startMs;
    return (pausedMs) => {
      const cpuMs = this.#cpuMs();
      this.#lastSnapshotMs = cpuMs;
      // Processor time includes other work of the program, and pauses include other work of the machine.
      this.#costsMs = [...this.#costsMs.slice(1), Math.min(pausedMs, cpuMs - startMs)];
    };
  }

  /** Returns whether a snapshot is due. If so, the next interval starts. */
  takeDue(): boolean {
    const cpuMs = this.#cpuMs();
    if (cpuMs - this.#lastSnapshotMs < Math.max(this.#intervalMs, MIN_WORK_PER_COST * Math.min(...this.#costsMs)))
      return false;
    this.#lastSnapshotMs = cpuMs;
    return true;
  }
}
