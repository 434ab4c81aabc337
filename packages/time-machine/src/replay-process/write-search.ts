// WriteSearch finds the last write of a value anywhere in a recording, in replay processes that do nothing else.
// ReplayDriver calls it with one query after another; a query waits for the one before.
//
// A process runs from a snapshot to the position of the query, and tracks which statement writes what. It is asked at
// the position, since only there it has the object in question. If the value is unwritten since the snapshot, another
// process starts from an earlier snapshot; the step back doubles each time, and ends at the start of the recording.
// Tracking the initial values of new objects is slow, so it is done for one task only: a process that answers
// `created` names the task, and a second process tracks it.
//
// A search must not disturb the process that the user inspects: recent-write.ts searches in that one.
import { comparePositions, endOfRunningTask, isTaskStart, taskStart, type Position } from '../position.ts';
import type { CoordinatorLink } from './coordinator-link.ts';
import { ReplayError } from './replay-error.ts';
import type { SeekPlan } from './seek-plan.ts';
import { divergenceIn, hasFailedToUndo } from './divergence.ts';
import { WriteProcessPool, type StartProcess, type WriteProcessStart } from './write-process-pool.ts';
import { isConclusive, type WriteResult } from './write-result.ts';
import type { ThreadName } from './thread-name.ts';
import type { ThreadWriteResult, WriteQuery } from './write-requests.ts';

/** One attempt to answer a query, with a process that starts from one snapshot. */
interface WriteAttempt extends WriteProcessStart {
  readonly position: Position;
  readonly query: WriteQuery;
}

/** Maximum time of an undo, which waits for the current task to end. After that, another process is faster. */
const UNDO_TIMEOUT_MS = 1000;

export class WriteSearch {
  readonly #plan: SeekPlan;
  readonly #processes: WriteProcessPool;
  /** The process that works on the current query, which an abort ends. */
  #running: CoordinatorLink | undefined;
  /** Settles after all queries so far. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(plan: SeekPlan, start: StartProcess) {
    this.#plan = plan;
    this.#processes = new WriteProcessPool(start);
  }

  /** Finds the last write before a position. */
  lastWrite(position: Position, query: WriteQuery, signal?: AbortSignal): Promise<WriteResult> {
    const found = this.#queue.catch(() => undefined).then(() => this.#find(position, query, signal));
    this.#queue = found;
    return found;
  }

  close(): void {
    this.#processes.close();
    this.#running?.end();
  }

  async #find(paused: Position, query: WriteQuery, signal: AbortSignal | undefined): Promise<WriteResult> {
    const running = this.#plan.threadOf(paused.order);
    const thread = this.#threadOfQuery(paused, query);
    // The other thread may be in the middle of a task, but the thread of the query is between two tasks.
    const isOtherThread = running?.worker !== thread.worker || running.epoch !== thread.epoch;
    const position = isOtherThread ? taskStart(paused.order) : paused;
    const abort = (): void => this.#running?.end();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await this.#plan.runOrRestart(() => this.#searchSnapshots(position, thread, query));
    } catch (error) {
      if (signal?.aborted === true)
        throw new ReplayError('TT_ABORTED', 'the search for the last write was aborted', { cause: signal.reason });
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** The thread that has the value: that of the given actor or, by default, that of the task at the position. */
  #threadOfQuery({ order }: Position, { thisActor }: WriteQuery): ThreadName {
    const thread =
      thisActor === undefined ? this.#plan.threadOf(order) : this.#plan.threadOfWorker(thisActor.worker, order);
    if (thread !== undefined) return thread;
    const isAtEnd = thisActor === undefined;
    const reason = isAtEnd
      ? 'no task runs at the end of the recording; go to a task first'
      : `there is no worker ${thisActor.worker}`;
    throw new ReplayError('TT_NO_POSITION', reason);
  }

  /** Searches from ever earlier snapshots until a process finds the write or has run the whole recording. */
  async #searchSnapshots(position: Position, thread: ThreadName, query: WriteQuery): Promise<WriteResult> {
    let phase = this.#firstSnapshot(position.order, thread, query.since);
    for (let stride = 1; ; stride *= 2) {
      const write = await this.#searchFrom({ phase, writes: thread, position, query });
      if (write.kind !== 'unwritten' || phase === undefined) {
        // The next query is likely to be about the position that was found.
        const nextOrder = write.position?.order ?? position.order;
        this.#processes.prepare({ phase: this.#plan.snapshotBefore(nextOrder), writes: thread });
        return write;
      }
      for (let i = 0; i < stride && phase !== undefined; i++) phase = this.#plan.previousSnapshot(phase);
    }
  }

  /** The last snapshot after which the thread may have written the value. @param since unwritten from this task on */
  #firstSnapshot(order: number, { worker, epoch }: ThreadName, since = Infinity): number | undefined {
    const isOfThread = (each: ThreadName): boolean => each.worker === worker && each.epoch === epoch;
    const isUnwrittenFrom = (task: number): boolean =>
      since < task || (since < Infinity && !this.#plan.threadsBetween(task, since - 1).some(isOfThread));
    let phase = this.#plan.snapshotBefore(order);
    while (phase !== undefined && isUnwrittenFrom(this.#plan.firstTaskOfPhase(phase)))
      phase = this.#plan.previousSnapshot(phase);
    return phase;
  }

  /** Searches from one snapshot. If the value is an initial value, a second process tracks it. */
  async #searchFrom(attempt: WriteAttempt): Promise<WriteResult> {
    const answer = await this.#ask(attempt);
    const initialValuesTask = answer.kind === 'created' ? answer.at?.[0] : undefined;
    if (initialValuesTask === undefined) return this.#toWriteResult(attempt, answer);
    const writes = { ...attempt.writes, initialValuesTask };
    return this.#toWriteResult(attempt, await this.#ask({ ...attempt, writes }));
  }

  #toWriteResult({ phase, writes }: WriteAttempt, answer: ThreadWriteResult): WriteResult {
    const { kind, part, isApproximate, location, at } = answer;
    const [task = 0, list = 0, statement = 0] = at ?? [];
    const order = at && this.#plan.orderOf(writes, task, this.#plan.firstTaskOfPhase(phase));
    const position = order === undefined ? undefined : { order, list, statement };
    return { kind: isConclusive(kind) ? kind : 'unwritten', part, isApproximate, location, position };
  }

  async #ask(attempt: WriteAttempt): Promise<ThreadWriteResult> {
    return (await this.#askUndone(attempt)) ?? this.#askForward(attempt);
  }

  /** Asks a process that runs forward to the position. If the answer was conclusive, the process is kept. */
  async #askForward(attempt: WriteAttempt): Promise<ThreadWriteResult> {
    const { position } = attempt;
    const process = this.#processes.take(attempt, position);
    const { coordinator, reached } = process;
    this.#running = coordinator;
    let isKept = false;
    try {
      if (reached === undefined || comparePositions(reached, position) !== 0) await this.#runTo(coordinator, attempt);
      const answer = await requestWrite(coordinator, attempt);
      isKept = answer.isPure && answer.kind !== 'unwritten' && answer.kind !== 'created';
      if (isKept) this.#processes.keep({ ...process, reached: position });
      return answer;
    } finally {
      this.#running = undefined;
      if (!isKept) coordinator.end();
    }
  }

  /**
   * Asks a process that has run past the position and goes back by undoing; undefined if it cannot undo or cannot tell.
   * It knows only the last write of each part, which may be after the position: then the wanted write is lost.
   */
  async #askUndone(attempt: WriteAttempt): Promise<ThreadWriteResult | undefined> {
    const process = this.#processes.takePast(attempt, attempt.position);
    if (process === undefined) return undefined;
    const { coordinator } = process;
    this.#running = coordinator;
    let isKept = false;
    let hasTimedOut = false;
    const timer = setTimeout(() => {
      hasTimedOut = true;
      coordinator.end();
    }, UNDO_TIMEOUT_MS);
    try {
      if (!(await this.#runTo(coordinator, attempt))) return undefined;
      const answer = await requestWrite(coordinator, attempt);
      isKept = answer.isPure;
      if (isKept) this.#processes.keep({ ...process, reached: endOfRunningTask(process.reached) });
      return answer.kind === 'later' ? undefined : answer;
    } catch (error) {
      const hasDiverged = error instanceof ReplayError && error.code === 'TT_DIVERGED';
      if (!hasTimedOut && !hasDiverged) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
      this.#running = undefined;
      if (!isKept) coordinator.end();
    }
  }

  /** Runs or undoes a process to the position; false if the process cannot undo that far. */
  async #runTo(coordinator: CoordinatorLink, { phase, writes, position }: WriteAttempt): Promise<boolean> {
    const { worker, epoch } = writes;
    const { order, list, statement } = position;
    const isInTask = !isTaskStart(position);
    const limits = this.#plan.limitsFor(order, isInTask, this.#plan.firstTaskOfPhase(phase));
    const threads = await coordinator.run(limits, isInTask ? { worker, epoch, list, statement } : undefined);
    const divergence = divergenceIn(threads, () => 'while tracking writes');
    if (divergence !== undefined) throw divergence;
    const status = threads.find((each) => each.worker === worker && each.epoch === epoch);
    return status?.state !== 'ended' && !threads.some((each) => hasFailedToUndo(each, limits));
  }
}

function requestWrite(
  coordinator: CoordinatorLink,
  { phase, writes, query }: WriteAttempt,
): Promise<ThreadWriteResult> {
  return coordinator.request(writes, 'lastWrite', { ...query, isWholeRecording: phase === undefined });
}
