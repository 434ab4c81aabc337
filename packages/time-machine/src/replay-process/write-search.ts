// Who has written something last: a process of its own runs from the last snapshot before the position to there, notes on the way which statement writes what, and is asked there: it holds the very
// object. If nobody has written it since, another one begins with a snapshot before, each time twice as many further back, up to the start: all of it is run as often as that takes. What objects
// get as they come into being is noted by one more, in the task in which it was. As one question leads to the next one, a process waits for that from then on.
import { taskStart, comparePositions, isTaskStart, type Position } from '../position.ts';
import { CoordinatorLink, type ReplayProcess } from './coordinator-link.ts';
import { ReplayError } from './replay-error.ts';
import type { SeekPlan } from './seek-plan.ts';
import { divergenceIn, hasFailedToUndo } from './divergence.ts';
import { isConclusive, type WriteResult } from './write-result.ts';
import type { ThreadWriteResult, ThreadName, WriteQuery, WriteTrackingOptions } from './protocol.ts';

type StartProcess = (phase: number | undefined, writes: WriteTrackingOptions) => ReplayProcess;

/** One that may be asked once more, or waits to be. */
interface WriteProcess extends WriteTrackingOptions {
  readonly phase: number | undefined;
  readonly coordinator: CoordinatorLink;
  /** Where its threads have come to; nothing before it has gone anywhere. */
  readonly reached: Position | undefined;
}

/** Milliseconds after which nobody waits for the end of a task in which one is to go back: another process is there as soon. */
const UNDO_TIMEOUT_MS = 1000;

export class WriteSearch {
  readonly #plan: SeekPlan;
  readonly #start: StartProcess;
  #prepared: WriteProcess | undefined;
  #paused: WriteProcess | undefined;
  #running: CoordinatorLink | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(plan: SeekPlan, start: StartProcess) {
    this.#plan = plan;
    this.#start = start;
  }

  lastWrite(position: Position, query: WriteQuery, signal?: AbortSignal): Promise<WriteResult> {
    const found = this.#queue.catch(() => undefined).then(() => this.#find(position, query, signal));
    this.#queue = found;
    return found;
  }

  close(): void {
    for (const coordinator of [this.#prepared?.coordinator, this.#paused?.coordinator, this.#running])
      coordinator?.end();
  }

  async #find(paused: Position, query: WriteQuery, signal: AbortSignal | undefined): Promise<WriteResult> {
    const { thisActor } = query;
    const running = this.#plan.threadOf(paused.order);
    const thread = thisActor === undefined ? running : this.#plan.threadOfWorker(thisActor.worker, paused.order);
    if (thread === undefined)
      throw new ReplayError(
        'TT_NO_POSITION',
        thisActor === undefined
          ? 'nothing runs at the end: ask where something does'
          : `there is no worker ${thisActor.worker}`,
      );
    // What another thread does in the midst of a task is nothing to the actor.
    const isOtherThread = running?.worker !== thread.worker || running.epoch !== thread.epoch;
    const position = isOtherThread ? taskStart(paused.order) : paused;
    const abort = (): void => this.#running?.end();
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await this.#plan.runOrRestart(() => this.#searchSnapshots(position, thread, query));
    } catch (error) {
      if (signal?.aborted === true)
        throw new ReplayError('TT_ABORTED', 'nobody wants to know any more', { cause: signal.reason });
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  /** Over one snapshot after the other. */
  async #searchSnapshots(position: Position, thread: ThreadName, query: WriteQuery): Promise<WriteResult> {
    let phase = this.#firstSnapshot(position.order, thread, query.since);
    for (let snapshotCount = 1; ; snapshotCount *= 2) {
      const write = await this.#requestWithInitialValues(phase, thread, position, query);
      if (write.kind !== 'unwritten' || phase === undefined) {
        this.#prepare(write.position?.order ?? position.order, thread);
        return write;
      }
      for (let i = 0; i < snapshotCount && phase !== undefined; i++) phase = this.#plan.previousSnapshot(phase);
    }
  }

  /** The last snapshot before, unless it is known that the thread has not written it since. */
  #firstSnapshot(order: number, { worker, epoch }: ThreadName, since = Infinity): number | undefined {
    let phase = this.#plan.snapshotBefore(order);
    const isKnown = (firstTask: number): boolean =>
      since < firstTask ||
      (since < Infinity &&
        !this.#plan
          .threadsBetween(firstTask, since - 1)
          .some((each) => each.worker === worker && each.epoch === epoch));
    while (phase !== undefined && isKnown(this.#plan.firstTaskOfPhase(phase)))
      phase = this.#plan.previousSnapshot(phase);
    return phase;
  }

  async #requestWithInitialValues(
    phase: number | undefined,
    thread: ThreadName,
    position: Position,
    query: WriteQuery,
  ): Promise<WriteResult> {
    const result = await this.#requestWrite(phase, thread, position, query);
    const initialValuesTask = result.kind === 'created' ? result.at?.[0] : undefined;
    const complete =
      initialValuesTask === undefined
        ? result
        : await this.#requestWrite(phase, { ...thread, initialValuesTask }, position, query);
    return this.#toWriteResult(phase, thread, complete);
  }

  #toWriteResult(
    phase: number | undefined,
    thread: ThreadName,
    { kind, part, isApproximate, location, at }: ThreadWriteResult,
  ): WriteResult {
    const [task = 0, list = 0, statement = 0] = at ?? [];
    const order = at && this.#plan.orderOf(thread, task, this.#plan.firstTaskOfPhase(phase));
    const found = isConclusive(kind) ? kind : 'unwritten';
    return {
      kind: found,
      part,
      isApproximate,
      location,
      position: order === undefined ? undefined : { order, list, statement },
    };
  }

  async #requestWrite(
    phase: number | undefined,
    writes: WriteTrackingOptions,
    position: Position,
    query: WriteQuery,
  ): Promise<ThreadWriteResult> {
    const before = await this.#requestUndone(phase, writes, position, query);
    if (before !== undefined) return before;
    const process = this.#takeProcess(phase, writes, position);
    const { coordinator } = process;
    this.#running = coordinator;
    let isKept = false;
    try {
      const isThere = process.reached !== undefined && comparePositions(process.reached, position) === 0;
      if (!isThere) await this.#runTo(coordinator, writes, position, this.#plan.firstTaskOfPhase(phase));
      const result = await coordinator.request(writes, 'lastWrite', {
        ...query,
        isWholeRecording: phase === undefined,
      });
      isKept = result.isPure && result.kind !== 'unwritten' && result.kind !== 'created';
      if (isKept) this.#paused = { ...writes, phase, coordinator, reached: position };
      return result;
    } finally {
      this.#running = undefined;
      if (!isKept) coordinator.end();
    }
  }

  /** Of one that stands behind there, and can go back: it has noted more than was written by then, so it may know that there was a write, and not what was before. */
  async #requestUndone(
    phase: number | undefined,
    writes: WriteTrackingOptions,
    position: Position,
    query: WriteQuery,
  ): Promise<ThreadWriteResult | undefined> {
    const paused = this.#paused;
    if (paused?.reached === undefined || !isFor(paused, phase, writes)) return undefined;
    if (comparePositions(paused.reached, position) <= 0) return undefined;
    const { coordinator } = paused;
    this.#paused = undefined;
    this.#running = coordinator;
    // A task that it is in the midst of it runs to its end first.
    const furthest = isTaskStart(paused.reached) ? paused.reached : taskStart(paused.reached.order + 1);
    let isKept = false;
    let hasTimedOut = false;
    const timer = setTimeout(() => {
      hasTimedOut = true;
      coordinator.end();
    }, UNDO_TIMEOUT_MS);
    try {
      if (!(await this.#runTo(coordinator, writes, position, this.#plan.firstTaskOfPhase(phase)))) return undefined;
      const result = await coordinator.request(writes, 'lastWrite', {
        ...query,
        isWholeRecording: phase === undefined,
      });
      isKept = result.isPure;
      if (isKept) this.#paused = { ...paused, reached: furthest };
      return result.kind === 'later' ? undefined : result;
    } catch (error) {
      const isAnother = error instanceof ReplayError && error.code === 'TT_DIVERGED';
      if (!hasTimedOut && !isAnother) throw error;
      return undefined;
    } finally {
      clearTimeout(timer);
      this.#running = undefined;
      if (!isKept) coordinator.end();
    }
  }

  /** Answers whether it is there, of one that was to go back. */
  async #runTo(
    coordinator: CoordinatorLink,
    { worker, epoch }: ThreadName,
    position: Position,
    firstTask: number,
  ): Promise<boolean> {
    const { order, list, statement } = position;
    const isInTask = !isTaskStart(position);
    const limits = this.#plan.limitsFor(order, isInTask, firstTask);
    const threads = await coordinator.run(limits, isInTask ? { worker, epoch, list, statement } : undefined);
    const divergence = divergenceIn(threads, () => 'where writes are noted');
    if (divergence !== undefined) throw divergence;
    const ownStatus = threads.find((each) => each.worker === worker && each.epoch === epoch);
    return ownStatus?.state !== 'ended' && !threads.some((each) => hasFailedToUndo(each, limits));
  }

  /** One that stands there or before, one that waits, or another one. */
  #takeProcess(phase: number | undefined, writes: WriteTrackingOptions, position: Position): WriteProcess {
    const [paused, prepared] = [this.#paused, this.#prepared];
    this.#paused = undefined;
    if (paused?.reached !== undefined && isFor(paused, phase, writes))
      if (comparePositions(paused.reached, position) <= 0) return paused;
    paused?.coordinator.end();
    this.#prepared = undefined;
    if (prepared !== undefined && isFor(prepared, phase, writes)) return prepared;
    prepared?.coordinator.end();
    return this.#startProcess(phase, writes);
  }

  /** The next question is asked where this one has led. */
  #prepare(order: number, thread: ThreadName): void {
    const phase = this.#plan.snapshotBefore(order);
    const prepared = this.#prepared;
    if (prepared !== undefined && isFor(prepared, phase, thread)) return;
    prepared?.coordinator.end();
    this.#prepared = this.#startProcess(phase, thread);
  }

  #startProcess(phase: number | undefined, writes: WriteTrackingOptions): WriteProcess {
    const coordinator = new CoordinatorLink(this.#start(phase, { ...writes, hasUndoLogs: true }));
    return { ...writes, phase, coordinator, reached: undefined };
  }
}

function isFor(
  process: WriteProcess,
  phase: number | undefined,
  { worker, epoch, initialValuesTask }: WriteTrackingOptions,
): boolean {
  const isSame =
    process.worker === worker && process.epoch === epoch && process.initialValuesTask === initialValuesTask;
  return isSame && process.phase === phase && !process.coordinator.isLost;
}
