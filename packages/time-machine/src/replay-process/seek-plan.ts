// How far each thread may go for the whole program to stand at one place of the order: up to its first task that does not come before it. All is known by the run index; a
// process that begins with a snapshot counts the tasks of its threads from there.
import { findFirst } from '../binary-search.ts';
import type { RunIndex } from '../run-index/run-index.ts';
import { ReplayError } from './replay-error.ts';
import type { RunLimit, ThreadName } from './protocol.ts';

interface PlannedThread extends ThreadName {
  readonly count: number;
}

export class SeekPlan {
  readonly #runIndex: RunIndex;
  readonly #threads: readonly PlannedThread[];
  /** Snapshots that a process can begin with, the lowest first. */
  #phases: readonly number[];
  readonly #isUsable: (phase: number) => boolean;
  readonly #checkedPhases = new Set<number>();
  /** Of each place, what is run before it. */
  #workBefore: Float64Array | undefined;

  readonly #warn: (text: string) => void;

  /**
   * @param isUsable of a snapshot that is about to be begun with: of one that is not, the one before is taken
   * @param warn of what makes all ways longer
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

  /** One more than there are: the end. */
  get endOrder(): number {
    return this.#runIndex.count + 1;
  }

  /** The last snapshot that is not behind a task; nothing if only the beginning is. */
  snapshotBefore(order: number): number | undefined {
    if (this.#runIndex.count === 0) return undefined;
    return this.#usableSnapshotUpTo(this.#runIndex.task(Math.min(order, this.#runIndex.count)).phase);
  }

  /** The snapshot before one; nothing if only the beginning is. */
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

  /** Something that begins with a snapshot; where none can, once more from the start: what one lacks here all do. */
  async runOrRestart<T>(run: () => Promise<T>, retry: () => Promise<T> = run): Promise<T> {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof ReplayError) || error.code !== 'TT_REPLAY_NOT_STARTED') throw error;
      // They may have gone meanwhile: what is kept somewhere makes room for others.
      const usablePhases = this.#phases.filter((phase) => this.#isUsable(phase));
      if (usablePhases.length < this.#phases.length) {
        this.#phases = usablePhases;
        return this.runOrRestart(retry);
      }
      if (this.#phases.length > 0)
        this.#warn(`snapshots are passed over, and all is run from the start: ${error.message}`);
      this.#phases = [];
      return retry();
    }
  }

  /** The first task of a phase, or of one behind it; of no phase, the first of all. */
  firstTaskOfPhase(phase: number | undefined): number {
    if (phase === undefined) return 1;
    return findFirst(1, this.#runIndex.count + 1, (order) => this.#runIndex.task(order).phase >= phase);
  }

  /** What is run from the beginning of one task to that of another, in lists of statements; less than 0 the other way round. */
  workBetween(from: number, to: number): number {
    const sums = (this.#workBefore ??= cumulativeWork(this.#runIndex));
    return (sums[to] as number) - (sums[from] as number);
  }

  /** Whose task it is; nobody's at the end. */
  threadOf(order: number): ThreadName | undefined {
    if (order >= this.endOrder) return undefined;
    const { worker, epoch } = this.#runIndex.task(order);
    return { worker, epoch };
  }

  /** Whether files are evaluated in a task: nobody can go back in it in place. */
  isModuleEvaluation(order: number): boolean {
    return order < this.endOrder && this.#runIndex.task(order).kind === 'evaluation';
  }

  /** The life of a worker that is there before a task, or was last. */
  threadOfWorker(worker: number, order: number): ThreadName | undefined {
    const epochs = this.#threads.filter((each) => each.worker === worker);
    return epochs.findLast((each) => this.#tasksBefore(each, order) > 0) ?? epochs[0];
  }

  /** Whose tasks are among some, the first and the last of which are given. */
  threadsBetween(from: number, to: number): ThreadName[] {
    return this.#threads.filter((thread) => this.#tasksBefore(thread, to + 1) > this.#tasksBefore(thread, from));
  }

  /** Of the thread that has most of them between two places of the order: so many tasks. */
  maxTasksOfOneThread(from: number, to: number): number {
    return Math.max(
      0,
      ...this.#threads.map((thread) => this.#tasksBefore(thread, to) - this.#tasksBefore(thread, from)),
    );
  }

  /** For all that comes before a task, and for that itself if `includesTask`, in a process that begins with another one. */
  limitsFor(order: number, includesTask: boolean, startOrder: number): RunLimit[] {
    const ownThread = includesTask ? this.threadOf(order) : undefined;
    return this.#threads.map((thread) => {
      const { worker, epoch } = thread;
      const extraTask = ownThread !== undefined && ownThread.worker === worker && ownThread.epoch === epoch ? 1 : 0;
      return {
        worker,
        epoch,
        tasks: this.#tasksBefore(thread, order) - this.#tasksBefore(thread, startOrder) + extraTask,
      };
    });
  }

  /** The place in the order of a task that a thread counts from the beginning of its process. */
  orderOf({ worker, epoch }: ThreadName, task: number, startOrder: number): number | undefined {
    const thread = this.#threads.find((each) => each.worker === worker && each.epoch === epoch);
    return thread && this.#runIndex.orderOf(worker, epoch, this.#tasksBefore(thread, startOrder) + task);
  }

  /** How many tasks of a thread come before one of the order. */
  #tasksBefore({ worker, epoch, count }: PlannedThread, order: number): number {
    return findFirst(1, count + 1, (number) => (this.#runIndex.orderOf(worker, epoch, number) ?? 0) >= order) - 1;
  }
}

/** What a task takes besides its statements, as so many lists of them: an eighth of a millisecond, by what a service's take in a process that has run a few thousand of them. */
const TASK_OVERHEAD_LISTS = 500;

function cumulativeWork(runIndex: RunIndex): Float64Array {
  const { order, columns } = runIndex.tables;
  const sums = new Float64Array(order.length + 2);
  for (let i = 0; i < order.length; i++)
    sums[i + 2] = (sums[i + 1] as number) + TASK_OVERHEAD_LISTS + columns.statementLists.at(order[i] as number);
  return sums;
}
