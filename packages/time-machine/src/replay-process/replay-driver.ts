// An engine of a recording: the program as it was at the position where the engine stands, statement by statement. Requests are
// answered one after the other. Only `evaluate` runs code of the program.
import { isTaskStart, type Position } from '../position.ts';
import type { Effects } from '../effects.ts';
import type { RunIndex } from '../run-index/run-index.ts';
import { digestsAt, type WorkerDigest } from './digests.ts';
import type { ReplayProcess, Urgency } from './coordinator-link.ts';
import { ReplayError } from './replay-error.ts';
import { SeekPlan } from './seek-plan.ts';
import { Mailboxes, type MailboxPage } from './mailboxes.ts';
import { loadPromises, type PromisesPage } from './promises.ts';
import type { StartMode } from './seek-estimator.ts';
import { findRecentWrite } from './recent-write.ts';
import { ChangeSearch } from './change-search.ts';
import { BreakpointSearch } from './breakpoint-search.ts';
import { WriteSearch } from './write-search.ts';
import { ReplayCursor, type PausePoint } from './replay-cursor.ts';
import type { WriteResult } from './write-result.ts';
import {
  type ActorInfo,
  type ActorKey,
  type BreakpointSpec,
  type ValueEntries,
  type ValueEntry,
  type EvaluationResult,
  type StackFrame,
  OBJECT_IDS_PER_WORKER,
  type Page,
  type ProcessOptions,
  type PromisesQuery,
  type StateOwner,
  type StateParts,
  type TextPiece,
  type ThreadName,
  type ThreadRequestName,
  type ThreadRequests,
  type ThreadStatus,
  type TaskTrace,
  type WatchedExpression,
  type WriteQuery,
} from './protocol.ts';

export interface ReplayDriverDeps {
  /** Made in debug mode, if positions are to be those of other sessions. */
  readonly runIndex: RunIndex;
  /** Snapshots that a process can begin with. */
  readonly phases: readonly number[];
  /** Whether one is whole: it is asked before a process begins with it. */
  readonly isUsable?: (phase: number) => boolean;
  /** Starts one, with a snapshot or from where the run index begins; its threads stand before their first tasks. */
  start(phase: number | undefined, options?: ProcessOptions, urgency?: Urgency): ReplayProcess;
  /** How one would begin now that somebody waits for. */
  startMode?(): StartMode;
  /** Bytes that processes may take which stand where the engine has been. */
  readonly memoryBudget?: number;
  /** Nobody has gone anywhere for a while: something may be prepared. */
  readonly onIdle?: (isLong: boolean) => void;
  readonly onClose?: () => void;
  /** Of what makes all ways longer, once. */
  readonly warn?: (text: string) => void;
}

/** Milliseconds that a process is given whose way nobody wants any more: most ways are shorter, and another process takes longer to begin. */
const ABORT_GRACE_MS = 1000;
const EMPTY_TRACE: TaskTrace = { locations: [], statements: [], isTruncated: false, sends: [] };

export class ReplayDriver {
  readonly #plan: SeekPlan;
  readonly #mailboxes: Mailboxes;
  readonly #runIndex: RunIndex;
  readonly #cursor: ReplayCursor;
  readonly #start: ReplayDriverDeps['start'];
  readonly #onClose: () => void;
  /** The end of what was asked last. */
  #queue: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #writeSearch: WriteSearch | undefined;

  constructor({
    runIndex,
    phases,
    isUsable,
    start,
    startMode = () => 'cold',
    memoryBudget = 0,
    onIdle = () => {},
    onClose = () => {},
    warn,
  }: ReplayDriverDeps) {
    this.#onClose = onClose;
    this.#start = start;
    this.#runIndex = runIndex;
    this.#mailboxes = new Mailboxes(runIndex);
    const plan = new SeekPlan(runIndex, phases, isUsable, warn);
    this.#plan = plan;
    this.#cursor = new ReplayCursor({ plan, start, startMode, memoryBudget, onIdle });
  }

  /** So often it has gone back in place, and begun anew. */
  get seekCounts(): ReplayCursor['seekCounts'] {
    return this.#cursor.seekCounts;
  }

  get pausePoint(): PausePoint {
    return this.#cursor.pausePoint;
  }

  /**
   * Goes there, in whichever direction. A statement that its task does not have stands for what comes behind it: the next statement, or the task behind.
   * Aborted, it stands where it has come to, or where it was.
   */
  seek(position: Position, signal?: AbortSignal): Promise<PausePoint> {
    return this.#enqueue(async () => {
      const { endOrder: last } = this.#plan;
      const { order, list, statement } = position;
      const isInvalid = ![order, list, statement].every(Number.isSafeInteger) || order < 1 || order > last || list < 0;
      if (isInvalid || statement < 0)
        throw new ReplayError(
          'TT_NO_POSITION',
          `there is no position ${order}:${list}.${statement}: tasks are numbered from 1 to ${last - 1}, and ${last} is the end`,
        );
      return this.#cursor.arrive(await this.#abortable(() => this.#cursor.seek(position), signal));
    });
  }

  /** To the next statement in the order; into the next task behind the last of its own. */
  stepForward(signal?: AbortSignal): Promise<PausePoint> {
    return this.#enqueue(async () =>
      this.#cursor.arrive(await this.#abortable(() => this.#cursor.stepForward(), signal)),
    );
  }

  /** All statements of each of some tasks, the first and the last of which are given. It stands behind them then. */
  traceTasks(from: number, to: number, signal?: AbortSignal): Promise<readonly TaskTrace[]> {
    return this.#enqueue(() =>
      this.#abortable(async () => {
        if (from < 1 || to < from || to >= this.#plan.endOrder)
          throw new ReplayError('TT_NO_POSITION', `there are no tasks from ${from} to ${to}`);
        const { coordinator, startOrder } = await this.#cursor.runTraced(from, to);
        const traces: TaskTrace[] = Array.from({ length: to - from + 1 }, () => EMPTY_TRACE);
        for (const name of this.#plan.threadsBetween(from, to))
          for (const { task, ...trace } of await coordinator.request(name, 'taskTraces', undefined)) {
            const order = this.#plan.orderOf(name, task, startOrder);
            if (order !== undefined && order >= from && order <= to) traces[order - from] = trace;
          }
        return traces;
      }, signal),
    );
  }

  frames(): Promise<readonly StackFrame[]> {
    return this.#enqueue(() => this.#cursor.request('frames', undefined));
  }

  /** Variables of the innermost frame, which is 0. */
  locals(frame: number): Promise<readonly ValueEntry[]> {
    return this.#enqueue(async () => {
      if (frame !== 0)
        throw new ReplayError('TT_NO_POSITION', `of frame ${frame} it has to be said which statement is its last`);
      return this.#cursor.request('locals', undefined);
    });
  }

  /** Variables of a statement that has begun earlier in the task, as they were then: for an outer frame, of its last statement. */
  localsAt(statement: { readonly list: number; readonly statement: number }): Promise<readonly ValueEntry[]> {
    return this.#enqueue(() => this.#requestCallHistory('localsAt', statement));
  }

  /** Evaluates an expression that changes nothing, with the variables of `localsAt`, as far as it has no side effects. */
  evaluateAt(
    statement: { readonly list: number; readonly statement: number },
    expression: string,
    signal?: AbortSignal,
  ): Promise<EvaluationResult> {
    return this.#enqueue(() =>
      this.#abortable(() => this.#requestCallHistory('evaluateAt', { ...statement, expression }), signal),
    );
  }

  /** Of the thread that stands in a call. */
  async #requestCallHistory<Q extends 'localsAt' | 'evaluateAt'>(
    request: Q,
    params: ThreadRequests[Q]['params'],
  ): Promise<ThreadRequests[Q]['result']> {
    const { position } = this.#cursor.pausePoint;
    const thread = this.#plan.threadOf(position.order);
    if (thread === undefined || isTaskStart(position))
      throw new ReplayError('TT_NO_POSITION', 'no call has begun where the program stands');
    const { coordinator } = await this.#cursor.withCallHistory(thread);
    return coordinator.request(thread, request, params);
  }

  /** The parts of an object that was shown since it stands here. */
  expand(id: number, page: Page): Promise<ValueEntries> {
    return this.#enqueue(() => this.#requestWorker(Math.floor(id / OBJECT_IDS_PER_WORKER), 'expand', { ...page, id }));
  }

  /** A piece of a text that was shown since it stands here. */
  text(id: number, page: Page): Promise<TextPiece> {
    return this.#enqueue(() => this.#requestWorker(Math.floor(id / OBJECT_IDS_PER_WORKER), 'text', { ...page, id }));
  }

  mailbox({ worker, id }: ActorKey, page: Page): Promise<MailboxPage> {
    return this.#enqueue(async () => {
      const { coordinator, threads } = await this.#cursor.currentProcess();
      const thread = threadOfWorker(worker, threads);
      return this.#mailboxes.page(this.pausePoint.position, { ...thread, id }, page, (params) =>
        coordinator.request(thread, 'mailbox', params),
      );
    });
  }

  /** Evaluates an expression with the variables of the innermost frame. It may run for ever, until it is aborted. */
  evaluate(expression: string, signal?: AbortSignal, effects: Effects = 'any'): Promise<EvaluationResult> {
    return this.#enqueue(async () => {
      const evaluated = await this.#abortable(() => this.#cursor.request('evaluate', { expression, effects }), signal);
      this.#cursor.noteEvaluation(evaluated);
      return evaluated;
    });
  }

  actors(): Promise<readonly ActorInfo[]> {
    return this.#enqueue(async () => {
      const { coordinator, threads } = await this.#cursor.currentProcess();
      const alive = threads.filter(isAlive);
      const { position } = this.pausePoint;
      const loaded = alive.map(async (thread) =>
        (await coordinator.request(thread, 'actors', undefined)).flatMap((actor) => {
          const address = { ...thread, name: actor.name };
          if (!this.#mailboxes.isCreated(position, address)) return [];
          return [{ ...actor, waitingCount: this.#mailboxes.waitingCount(position, address, actor.waitingCount) }];
        }),
      );
      return (await Promise.all(loaded)).flat();
    });
  }

  /** Awaited promises; or one, and what it waits for. */
  promises(params: PromisesQuery): Promise<PromisesPage> {
    return this.#enqueue(async () => {
      const { coordinator, threads, startOrder } = await this.#cursor.currentProcess();
      const deps = {
        threads: threads.filter(isAlive),
        request: (thread: ThreadName, query: PromisesQuery) => coordinator.request(thread, 'promises', query),
        orderOf: (thread: ThreadName, task: number) => this.#plan.orderOf(thread, task, startOrder),
      };
      return loadPromises(deps, params);
    });
  }

  /** A search from a position on, independent of the engine. */
  searchBreakpoints(breakpoints: readonly BreakpointSpec[], from: Position): BreakpointSearch {
    const start = (phase: number | undefined): ReplayProcess => this.#start(phase, { breakpoints });
    return new BreakpointSearch({ plan: this.#plan, from, start });
  }

  /** A search for the tasks of one thread in which an expression changed. */
  searchChanges(watch: WatchedExpression & ThreadName, from: Position): ChangeSearch {
    const start = (phase: number | undefined): ReplayProcess => this.#start(phase, { watch });
    return new ChangeSearch(new BreakpointSearch({ plan: this.#plan, from, start }));
  }

  /** States of actors and programs at a position, where it stands then; undefined for one that does not exist there. @param maxParts parts of each */
  states(
    position: Position,
    owners: readonly StateOwner[],
    maxParts: number,
    signal?: AbortSignal,
  ): Promise<readonly (StateParts | undefined)[]> {
    return this.#enqueue(async () => {
      this.#cursor.arrive(await this.#abortable(() => this.#cursor.seek(position), signal));
      const { threads, coordinator } = await this.#cursor.currentProcess();
      const found: (StateParts | undefined)[] = [];
      for (const { worker, actor } of owners) {
        const thread = threads.find((each) => each.worker === worker && isAlive(each));
        const state = thread && (await coordinator.request(thread, 'state', { actor, maxParts }));
        found.push(state ?? undefined);
      }
      return found;
    });
  }

  /** Of all that the program is where it stands: the same by whatever way it has come there. @param includeAwaited as of digests.ts */
  digests({ includeAwaited = false } = {}): Promise<readonly WorkerDigest[]> {
    return this.#enqueue(async () => {
      const { coordinator, threads } = await this.#cursor.currentProcess();
      const requestDigest = (thread: ThreadName, params: ThreadRequests['digest']['params']) =>
        coordinator.request(thread, 'digest', params);
      return digestsAt(
        this.#runIndex,
        this.pausePoint.position,
        threads.filter(isAlive),
        requestDigest,
        includeAwaited,
      );
    });
  }

  /** The last write of what an expression evaluates to here, if this process knows it; otherwise unwritten. */
  recentWrite(query: WriteQuery, signal?: AbortSignal): Promise<WriteResult> {
    return this.#enqueue(() => this.#abortable(() => findRecentWrite(this.#cursor, this.#plan, query), signal));
  }

  /** The last write before a position, however long ago, found by another process. */
  lastWrite(position: Position, query: WriteQuery, signal?: AbortSignal): Promise<WriteResult> {
    this.#writeSearch ??= new WriteSearch(this.#plan, (phase, writes) => this.#start(phase, { writeTracking: writes }));
    return this.#writeSearch.lastWrite(position, query, signal);
  }

  /** Runs what is left, without a stop, and answers how the process has ended. Begins anew where it is asked for something then. */
  finish(): Promise<string> {
    return this.#enqueue(async () => {
      return (await this.#cursor.release()).finish();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#onClose();
    this.#writeSearch?.close();
    this.#cursor.close();
    await this.#queue.catch(() => undefined);
    // What was asked before may have begun anew.
    this.#cursor.close();
  }

  #enqueue<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#queue
      .catch(() => undefined)
      .then(() => {
        if (this.#isClosed) throw new ReplayError('TT_REPLAY_LOST', 'the engine was closed');
        return run();
      });
    this.#queue = done;
    return done;
  }

  /** Aborted, its process is ended, unless it is there in a moment: where it would stop, nobody knows, and who goes on at once has use for it. */
  async #abortable<T>(run: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    if (signal === undefined) return run();
    if (signal.aborted) throw abortError(signal);
    let timer: NodeJS.Timeout | undefined;
    const abort = (): void => void (timer = setTimeout(() => this.#cursor.endProcess(), ABORT_GRACE_MS));
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await run();
    } catch (error) {
      throw signal.aborted ? abortError(signal) : error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  }

  /** Of the thread of the worker that is there. */
  async #requestWorker<Q extends ThreadRequestName>(
    worker: number,
    request: Q,
    params: ThreadRequests[Q]['params'],
  ): Promise<ThreadRequests[Q]['result']> {
    const { coordinator, threads } = await this.#cursor.currentProcess();
    return coordinator.request(threadOfWorker(worker, threads), request, params);
  }
}

function threadOfWorker(worker: number, threads: readonly ThreadStatus[]): ThreadName {
  const { epoch } = threads.find((each) => each.worker === worker && isAlive(each)) ?? { epoch: 0 };
  return { worker, epoch };
}

function isAlive({ state }: ThreadStatus): boolean {
  return state !== 'gone' && state !== 'pending';
}

function abortError(signal: AbortSignal): ReplayError {
  return new ReplayError('TT_ABORTED', 'nobody wants to go there any more', { cause: signal.reason });
}
