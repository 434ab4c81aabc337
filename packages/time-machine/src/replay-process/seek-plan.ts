// Converts positions of a recording into run limits of threads, and back. A position names a task by its number among
// all tasks; a thread knows only how many tasks it has run since its process started. The run index has both numbers.
// The plan also chooses the snapshots that processes start from.
import { findFirst } from '../binary-search.ts';
import type { RunIndex } from '../run-index/run-index.ts';
import { ReplayError } from './replay-error.ts';
import type { RunLimit } from './protocol.ts';
import type { ThreadName } from './thread-name.ts';

interface PlannedThread extends ThreadName {
  readonly count: number;
}

export class SeekPlan {
  readonly #runIndex: RunIndex;
  readonly #threads: readonly PlannedThread[];
  /** Phases of the snapshots that a process can start from, ascending. */
  #phases: readonly number[];
  readonly #isUsable: (phase: number) => boolean;
  readonly #checkedPhases = new Set<number>();
  /** Cumulated work before each task, by the number of the task. */
  #workBefore: Float64Array | undefined;
  readonly #warn: (text: string) => void;

  /**
   * @param isUsable checks a snapshot before its first use; if it fails, the plan uses the snapshot before
   * @param warn receives the reason when all seeks become slower
   */
  constructor(
    runIndex: RunIndex,
    phases: readonly number[],
    isUsable: (phase: number) => boolean = () => true,
    warn: (text: string) => void = () => {},
  ) {
    this.#isUsable = isUsable;
    this.#warn = warn;
    this.#runIndex = runIndex;
    this.#threads = runIndex.threads;
    this.#phases = phases.toSorted((a, b) => a - b);
  }

  /** Order of the end of the recording: one more than the number of tasks. */
  get endOrder(): number {
    return this.#runIndex.count + 1;
  }

  /** The last snapshot that is not after a task; undefined if the replay must start from the start of the recording. */
  snapshotBefore(order: number): number | undefined {
    if (this.#runIndex.count === 0) return undefined;
    return this.#usableSnapshotUpTo(this.#runIndex.task(Math.min(order, this.#runIndex.count)).phase);
  }

  /** The snapshot before another one; undefined if the replay must start from the start of the recording. */
  previousSnapshot(phase: number): number | undefined {
    return this.#usableSnapshotUpTo(phase - 1);
  }

  #usableSnapshotUpTo(phase: number): number | undefined {
    for (;;) {
      const found = this.#phases.findLast((each) => each <= phase);
      if (found === undefined || this.#checkedPhases.has(found)) return found;
      if (this.#isUsable(found)) this.#checkedPhases.add(found);
      else this.#phases = this.#phases.filter((each) => each !== found);
    }
  }

  /**
   * Runs a function that may start a process from a snapshot, and retries it if the process cannot start. The first
   * retry excludes snapshots that have disappeared, since a cache may evict them. If none has, the retry is from the
   * start of the recording, since any other reason applies to all snapshots.
   */
  async runOrRestart<T>(run: () => Promise<T>, retry: () => Promise<T> = run): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ReplayError) || error.code !== 'TT_REPLAY_NOT_STARTED') throw error;
      const usablePhases = this.#phases.filter((phase) => this.#isUsable(phase));
      if (usablePhases.length < this.#phases.length) {
        this.#phases = usablePhases;
        return this.runOrRestart(retry);
      }
      if (this.#phases.length > 0) this.#warn(`skipping snapshots, replaying from the start: ${error.message}`);
      this.#phases = [];
      return retry();
    }
  }

  /** The first task of a phase, or of the next phase that has tasks; without a phase, the first of the recording. */
  firstTaskOfPhase(phase: number | undefined): number {
    if (phase === undefined) return 1;
    return findFirst(1, this.#runIndex.count + 1, (order) => this.#runIndex.task(order).phase >= phase);
  }

  /** Work between the starts of two tasks, in lists of statements; negative if `to` is before `from`. */
  workBetween(from: number, to: number): number {
    const sums = (this.#workBefore ??= cumulativeWork(this.#runIndex));
    return (sums[to] as number) - (sums[from] as number);
  }

  /** The thread that ran a task; undefined at the end of the recording. */
  threadOf(order: number): ThreadName | undefined {
    if (order >= this.endOrder) return undefined;
    const { worker, epoch } = this.#runIndex.task(order);
    return { worker, epoch };
  }

  /** Whether a task evaluates modules, which cannot be undone in place. */
  isModuleEvaluation(order: number): boolean {
    return order < this.endOrder && this.#runIndex.task(order).kind === 'evaluation';
  }

  /** The latest thread of a worker that has run a task before the given one; if none has, the worker's first thread. */
  threadOfWorker(worker: number, order: number): ThreadName | undefined {
    const epochs = this.#threads.filter((each) => each.worker === worker);
    return epochs.findLast((each) => this.#tasksBefore(each, order) > 0) ?? epochs[0];
  }

  /** The threads that run at least one of the tasks `from` to `to`. */
  threadsBetween(from: number, to: number): ThreadName[] {
    return this.#threads.filter((thread) => this.#tasksBefore(thread, to + 1) > this.#tasksBefore(thread, from));
  }

  /** The largest number of tasks that a single thread runs from `from` on and before `to`. */
  maxTasksOfOneThread(from: number, to: number): number {
    const counts = this.#threads.map((thread) => this.#tasksBefore(thread, to) - this.#tasksBefore(thread, from));
    return Math.max(0, ...counts);
  }

  /**
   * Limits for a process that started at `startOrder` to run all tasks before `order`, and `order` itself if included.
   */
  limitsFor(order: number, includesTask: boolean, startOrder: number): RunLimit[] {
    const ownThread = includesTask ? this.threadOf(order) : undefined;
    return this.#threads.map((thread) => {
      const { worker, epoch } = thread;
      const extraTask = ownThread !== undefined && ownThread.worker === worker && ownThread.epoch === epoch ? 1 : 0;
      const tasks = this.#tasksBefore(thread, order) - this.#tasksBefore(thread, startOrder) + extraTask;
      return { worker, epoch, tasks };
    });
  }

  /** Converts a thread's number of a task, counted from the start of its process, into the number among all tasks. */
  orderOf({ worker, epoch }: ThreadName, task: number, startOrder: number): number | undefined {
    const thread = this.#threads.find((each) => each.worker === worker && each.epoch === epoch);
    return thread && this.#runIndex.orderOf(worker, epoch, this.#tasksBefore(thread, startOrder) + task);
  }

  #tasksBefore({ worker, epoch, count }: PlannedThread, order: number): number {
    return findFirst(1, count + 1, (number) => (this.#runIndex.orderOf(worker, epoch, number) ?? 0) >= order) - 1;
  }
}

/** Fixed cost of a task: 1/8 ms at the default speed, measured in a service after warm-up. */
const TASK_OVERHEAD_LISTS = 500;

function cumulativeWork(runIndex: RunIndex): Float64Array {
  const { order, columns } = runIndex.tables;
  const sums = new Float64Array(order.length + 2);
  for (let i = 0; i < order.length; i++)
    sums[i + 2] = (sums[i + 1] as number) + TASK_OVERHEAD_LISTS + columns.statementLists.at(order[i] as number);
  return sums;
}
