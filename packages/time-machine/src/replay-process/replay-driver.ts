// The driver of a replay: brings the program of a recording to any position, statement by statement, and inspects it.
// Requests run one after the other. The cursor (replay-cursor.ts) brings a replay process to the position; the driver
// then asks its threads. Only `evaluate` runs code that the program did not run in the recording.
import { isTaskStart, taskStart, type Position } from '../position.ts';
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
import type { ActorInfo, ActorKey, StateOwner, StateParts } from './actor-states.ts';
import type { HeapGraph } from './heap-graph.ts';
import {
  type CompletionName,
  type FoundParts,
  type ValueEntries,
  type ValueEntry,
  type EvaluationResult,
  type NamesQuery,
  type ThreadStack,
  type StackFrame,
  OBJECT_IDS_PER_WORKER,
  type Page,
  type PartsQuery,
  type TextPiece,
} from './inspected-values.ts';
import type { BreakpointSpec, ProcessOptions, WatchedExpression } from './process-options.ts';
import type { ThreadRequestName, ThreadRequests, ThreadStatus } from './protocol.ts';
import type { RunName, TaskTrace } from './task-trace.ts';
import type { ThreadName } from './thread-name.ts';
import type { PromisesQuery } from './thread-promises.ts';
import type { WriteQuery } from './write-requests.ts';
import { packIntegers } from './packed-integers.ts';
import { StatementTrace } from './statement-trace.ts';

export interface ReplayDriverDeps {
  /** Index of a replay in debug mode, if positions must be the same in all sessions. */
  readonly runIndex: RunIndex;
  /** Phases of the snapshots that a process can start from. */
  readonly phases: readonly number[];
  /** Whether a snapshot is complete. Called before the first process starts from the snapshot. */
  readonly isUsable?: (phase: number) => boolean;
  /** See `ReplayCursorDeps`, also for `startMode`, `memoryBudget` and `onIdle`. */
  start(phase: number | undefined, options?: ProcessOptions, urgency?: Urgency): ReplayProcess;
  startMode?(): StartMode;
  readonly memoryBudget?: number;
  readonly onIdle?: (isLong: boolean) => void;
  readonly onClose?: () => void;
  /** Called with the reason when all further seeks become slower. */
  readonly warn?: (text: string) => void;
}

/** Time in which an aborted seek may finish. Most do, and starting another process would take longer. */
const ABORT_GRACE_MS = 1000;
const NO_INTEGERS = packIntegers(new Int32Array(0));
const EMPTY_TRACE: TaskTrace = {
  locations: [],
  statements: NO_INTEGERS,
  calls: NO_INTEGERS,
  callParents: NO_INTEGERS,
  callRuns: NO_INTEGERS,
  isTruncated: false,
  sends: [],
  runs: [],
};

export class ReplayDriver {
  readonly #plan: SeekPlan;
  readonly #mailboxes: Mailboxes;
  readonly #runIndex: RunIndex;
  readonly #cursor: ReplayCursor;
  readonly #start: ReplayDriverDeps['start'];
  readonly #onClose: () => void;
  /** Settles after all requests so far. */
  #queue: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #writeSearch: WriteSearch | undefined;

  constructor(deps: ReplayDriverDeps) {
    const { runIndex, start, startMode = () => 'cold', memoryBudget = 0, onIdle = () => {} } = deps;
    this.#onClose = deps.onClose ?? (() => {});
    this.#start = start;
    this.#runIndex = runIndex;
    this.#mailboxes = new Mailboxes(runIndex);
    const plan = new SeekPlan(runIndex, deps.phases, deps.isUsable, deps.warn);
    this.#plan = plan;
    this.#cursor = new ReplayCursor({ plan, start, startMode, memoryBudget, onIdle });
  }

  get seekCounts(): ReplayCursor['seekCounts'] {
    return this.#cursor.seekCounts;
  }

  get pausePoint(): PausePoint {
    return this.#cursor.pausePoint;
  }

  /**
   * Seeks in either direction. If the task does not have the statement, the target is the next statement or task.
   * After an abort, the position is either the new one or the old one.
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

  /** Moves to the next statement of the recording, on any thread. */
  stepForward(signal?: AbortSignal): Promise<PausePoint> {
    return this.#enqueue(async () =>
      this.#cursor.arrive(await this.#abortable(() => this.#cursor.stepForward(), signal)),
    );
  }

  /**
   * Traces all statements of each task from `from` to `to`. Afterwards, the position is the end of the last task.
   * @param since task from which on the runs of frames must be known
   */
  traceTasks(from: number, to: number, signal?: AbortSignal, since = from): Promise<readonly StatementTrace[]> {
    return this.#enqueue(() =>
      this.#abortable(async () => {
        if (from < 1 || to < from || to >= this.#plan.endOrder)
          throw new ReplayError(
            'TT_NO_POSITION',
            `there are no tasks from ${from} to ${to}; tasks are numbered from 1 to ${this.#plan.endOrder - 1}`,
          );
        const { coordinator, startOrder } = await this.#cursor.runTraced(from, to, since);
        const traces: TaskTrace[] = Array.from({ length: to - from + 1 }, () => EMPTY_TRACE);
        for (const name of this.#plan.threadsBetween(from, to))
          for (const { task, ...trace } of await coordinator.request(name, 'taskTraces', undefined)) {
            const order = this.#plan.orderOf(name, task, startOrder);
            if (order !== undefined && order >= from && order <= to)
              traces[order - from] = {
                ...withOrders(trace, (each) => this.#plan.orderOf(name, each, startOrder)),
                since: startOrder,
              };
          }
        return traces.map((trace, i) => new StatementTrace(from + i, trace));
      }, signal),
    );
  }

  /** The stack at the position. Runs of awaiting frames are named by positions in the run index. */
  stack(): Promise<ThreadStack> {
    return this.#enqueue(() => this.#requestStack());
  }

  /** Seeks, and returns the stack. @param since task from which on the runs of awaiting frames must be known */
  stackSince(
    since: number,
    position: Position,
    signal?: AbortSignal,
  ): Promise<ThreadStack & { readonly since: number }> {
    return this.#enqueue(async () => {
      this.#cursor.arrive(await this.#abortable(() => this.#cursor.seekSince(since, position), signal));
      const { startOrder } = await this.#cursor.currentProcess();
      return { ...(await this.#requestStack()), since: startOrder };
    });
  }

  async #requestStack(): Promise<ThreadStack> {
    const { frames, moreAwaiting } = await this.#cursor.request('frames', undefined);
    const { startOrder } = await this.#cursor.currentProcess();
    const thread = this.#plan.threadOf(this.pausePoint.position.order);
    return {
      frames: frames.map((frame) =>
        withRunOrder(frame, (task) => thread && this.#plan.orderOf(thread, task, startOrder)),
      ),
      moreAwaiting,
    };
  }

  /** Variables of the innermost frame. @param frame must be 0: for outer frames, see `localsAt` */
  locals(frame: number): Promise<readonly ValueEntry[]> {
    return this.#enqueue(async () => {
      if (frame !== 0)
        throw new ReplayError('TT_NO_POSITION', `frame ${frame} needs its last statement: call localsAt`);
      return this.#knownLocals(() => this.#cursor.request('locals', {}));
    });
  }

  /** Repeats a request in processes from earlier snapshots until all values are known. */
  async #whileNotKept<T>(request: () => Promise<T>, isIncomplete: (answer: T) => boolean): Promise<T> {
    for (;;) {
      const answer = await request();
      if (!isIncomplete(answer) || !(await this.#cursor.useEarlierProcess())) return answer;
    }
  }

  #knownLocals(request: () => Promise<readonly ValueEntry[]>): Promise<readonly ValueEntry[]> {
    return this.#whileNotKept(request, (entries) => entries.some(isNotKept));
  }

  /** Variables of an awaiting frame. @param awaiting index among the awaiting frames */
  awaitingLocals(awaiting: number): Promise<readonly ValueEntry[]> {
    return this.#enqueue(() => this.#knownLocals(() => this.#cursor.request('locals', { awaiting })));
  }

  /** Evaluates an expression with the variables that `awaitingLocals` returns. It fails at the first side effect. */
  evaluateAwaiting(awaiting: number, expression: string, signal?: AbortSignal): Promise<EvaluationResult> {
    const params = { expression, effects: 'none', awaiting } as const;
    return this.#enqueue(() =>
      this.#abortable(() => this.#whileNotKept(() => this.#cursor.request('evaluate', params), isNotKept), signal),
    );
  }

  /** Variables as they were at an earlier statement of the task. For an outer frame, pass its last statement. */
  localsAt(statement: { readonly list: number; readonly statement: number }): Promise<readonly ValueEntry[]> {
    return this.#enqueue(() => this.#knownLocals(() => this.#requestCallHistory('localsAt', statement)));
  }

  /** Evaluates an expression with the variables that `localsAt` returns. It fails at the first side effect. */
  evaluateAt(
    statement: { readonly list: number; readonly statement: number },
    expression: string,
    signal?: AbortSignal,
  ): Promise<EvaluationResult> {
    return this.#enqueue(() =>
      this.#abortable(
        () => this.#whileNotKept(() => this.#requestCallHistory('evaluateAt', { ...statement, expression }), isNotKept),
        signal,
      ),
    );
  }

  /** Names that can continue an expression in the innermost frame, or in an awaiting one. */
  names(query: NamesQuery, awaiting?: number): Promise<readonly CompletionName[]> {
    return this.#enqueue(() => this.#cursor.request('names', { ...query, awaiting }));
  }

  /** The same with the variables that `localsAt` returns. */
  namesAt(
    statement: { readonly list: number; readonly statement: number },
    query: NamesQuery,
  ): Promise<readonly CompletionName[]> {
    return this.#enqueue(() => this.#requestCallHistory('namesAt', { ...statement, ...query }));
  }

  /** Sends a request about an earlier statement to the thread of the task, in a process with call history. */
  async #requestCallHistory<Q extends 'localsAt' | 'evaluateAt' | 'namesAt'>(
    request: Q,
    params: ThreadRequests[Q]['params'],
  ): Promise<ThreadRequests[Q]['result']> {
    const { position } = this.#cursor.pausePoint;
    const thread = this.#plan.threadOf(position.order);
    if (thread === undefined || isTaskStart(position))
      throw new ReplayError(
        'TT_NO_POSITION',
        'no call has started at this position; step to a statement of the task first',
      );
    const { coordinator } = await this.#cursor.withCallHistory(thread);
    return coordinator.request(thread, request, params);
  }

  /** Parts of an object. The object's id is valid until the position changes. */
  expand(id: number, page: Page): Promise<ValueEntries> {
    return this.#enqueue(() => this.#requestWorker(Math.floor(id / OBJECT_IDS_PER_WORKER), 'expand', { ...page, id }));
  }

  /** Seeks, and returns parts of a value. The expression fails at its first side effect, with an `error`. */
  partsAt(
    position: Position,
    { expression, path = [] }: PartsQuery,
    page: Page,
    signal?: AbortSignal,
  ): Promise<FoundParts> {
    const load = async (): Promise<FoundParts> => {
      this.#cursor.arrive(await this.#cursor.seek(position));
      const request = (): Promise<EvaluationResult> =>
        this.#cursor.request('evaluate', { expression, effects: 'none' });
      const { value, error } = await this.#whileNotKept(request, isNotKept);
      let id = value?.id;
      for (const index of path) {
        if (id === undefined) break;
        const { entries } = await this.#cursor.request('expand', { id, from: index, count: 1 });
        id = entries[0]?.value?.id;
      }
      return id === undefined ? { entries: [], total: 0, error } : this.#cursor.request('expand', { ...page, id });
    };
    return this.#enqueue(() => this.#abortable(load, signal));
  }

  /** A part of a long text. The text's id is valid until the position changes. */
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

  /** Evaluates an expression with the variables of the innermost frame. It has no time limit, but can be aborted. */
  evaluate(expression: string, signal?: AbortSignal, effects: Effects = 'any'): Promise<EvaluationResult> {
    return this.#enqueue(async () => {
      const evaluated = await this.#abortable(
        () => this.#whileNotKept(() => this.#cursor.request('evaluate', { expression, effects }), isNotKept),
        signal,
      );
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

  /** All awaited promises, or one promise with the promises that it waits for. */
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

  /** Opens a search from a position on. It uses another process, so the position of this driver does not change. */
  searchBreakpoints(breakpoints: readonly BreakpointSpec[], from: Position): BreakpointSearch {
    const start = (phase: number | undefined): ReplayProcess => this.#start(phase, { breakpoints });
    return new BreakpointSearch({ plan: this.#plan, from, start });
  }

  /** Opens a search for the tasks of one thread in which the value of an expression changed. */
  searchChanges(watch: WatchedExpression & ThreadName, from: Position): ChangeSearch {
    const start = (phase: number | undefined): ReplayProcess => this.#start(phase, { watch });
    return new ChangeSearch(new BreakpointSearch({ plan: this.#plan, from, start }));
  }

  /** Opens a search for the writes that change a value, which an expression names at a position, after the position. */
  searchWrites(expression: string, at: Position): BreakpointSearch {
    const plan = this.#plan;
    const thread = plan.threadOf(at.order);
    if (thread === undefined) throw new ReplayError('TT_NO_POSITION', 'nothing runs at the end of the recording');
    const start = (phase: number | undefined): ReplayProcess => {
      const limits = plan.limitsFor(at.order, true, plan.firstTaskOfPhase(phase));
      const task = limits.find(({ worker, epoch }) => worker === thread.worker && epoch === thread.epoch)?.tasks ?? 1;
      const { list, statement } = at;
      return this.#start(phase, { writeTracking: thread, watchpoint: { expression, task, list, statement } });
    };
    return new BreakpointSearch({ plan, from: taskStart(at.order), start });
  }

  /** Seeks, and returns the state of each owner; undefined if it has none. @param maxParts maximum parts per owner */
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

  /** The objects of each thread of the program. */
  heaps(): Promise<readonly { readonly worker: number; readonly graph: HeapGraph }[]> {
    return this.#enqueue(async () => {
      const { coordinator, threads } = await this.#cursor.currentProcess();
      const heaps: { readonly worker: number; readonly graph: HeapGraph }[] = [];
      for (const each of threads.filter(isAlive))
        heaps.push({ worker: each.worker, graph: await coordinator.request(each, 'heap', undefined) });
      return heaps;
    });
  }

  /** Digests of the whole program (digests.ts). */
  digests({ includeAwaited = false } = {}): Promise<readonly WorkerDigest[]> {
    return this.#enqueue(async () => {
      const { coordinator, threads } = await this.#cursor.currentProcess();
      const requestDigest = (thread: ThreadName, params: ThreadRequests['digest']['params']) =>
        coordinator.request(thread, 'digest', params);
      const { position } = this.pausePoint;
      return digestsAt(this.#runIndex, position, threads.filter(isAlive), requestDigest, includeAwaited);
    });
  }

  /** The last write of an expression's value here. The result is `unwritten` if the current process cannot tell. */
  recentWrite(query: WriteQuery, signal?: AbortSignal): Promise<WriteResult> {
    return this.#enqueue(() => this.#abortable(() => findRecentWrite(this.#cursor, this.#plan, query), signal));
  }

  /** The last write before a position, at any distance. Other processes search, so the driver does not move. */
  lastWrite(position: Position, query: WriteQuery, signal?: AbortSignal): Promise<WriteResult> {
    this.#writeSearch ??= new WriteSearch(this.#plan, (phase, writes) => this.#start(phase, { writeTracking: writes }));
    return this.#writeSearch.lastWrite(position, query, signal);
  }

  /** Runs the rest of the recording without a pause; returns how it ended. A later request starts a new process. */
  finish(): Promise<string> {
    return this.#enqueue(async () => (await this.#cursor.release()).finish());
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#onClose();
    this.#writeSearch?.close();
    this.#cursor.close();
    await this.#queue.catch(() => undefined);
    // A request that was running may have started a process since.
    this.#cursor.close();
  }

  #enqueue<T>(run: () => Promise<T>): Promise<T> {
    const done = this.#queue
      .catch(() => undefined)
      .then(() => {
        if (this.#isClosed) throw new ReplayError('TT_REPLAY_LOST', 'the replay was closed');
        return run();
      });
    this.#queue = done;
    return done;
  }

  /** Runs a request that can be aborted. If it does not end soon after the abort, its process is ended. */
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

  /** Sends a request to the current thread of a worker. */
  async #requestWorker<Q extends ThreadRequestName>(
    worker: number,
    request: Q,
    params: ThreadRequests[Q]['params'],
  ): Promise<ThreadRequests[Q]['result']> {
    const { coordinator, threads } = await this.#cursor.currentProcess();
    return coordinator.request(threadOfWorker(worker, threads), request, params);
  }
}

/** Converts the task numbers of a thread in a trace to positions in the run index. */
function withOrders(trace: TaskTrace, orderOf: (task: number) => number | undefined): TaskTrace {
  const convert = ([task, number]: RunName): readonly RunName[] => {
    const order = orderOf(task);
    return order === undefined ? [] : [[order, number]];
  };
  const runs = trace.runs.map((run) => {
    const { previous, awaiters } = run;
    return {
      ...run,
      previous: previous === undefined || previous === null ? previous : convert(previous)[0],
      ...(awaiters !== undefined && { awaiters: awaiters.flatMap(convert) }),
    };
  });
  return { ...trace, runs };
}

/** Converts the task number of an awaiting frame's run to a position in the run index. */
function withRunOrder(frame: StackFrame, orderOf: (task: number) => number | undefined): StackFrame {
  const { awaiting } = frame;
  if (awaiting?.run === undefined) return frame;
  const [task, number] = awaiting.run;
  const order = orderOf(task);
  return { ...frame, awaiting: { ...awaiting, run: order === undefined ? undefined : [order, number] } };
}

function threadOfWorker(worker: number, threads: readonly ThreadStatus[]): ThreadName {
  const { epoch } = threads.find((each) => each.worker === worker && isAlive(each)) ?? { epoch: 0 };
  return { worker, epoch };
}

function isAlive({ state }: ThreadStatus): boolean {
  return state !== 'gone' && state !== 'pending';
}

function abortError(signal: AbortSignal): ReplayError {
  return new ReplayError('TT_ABORTED', 'the request was aborted', { cause: signal.reason });
}

function isNotKept(answer: { readonly isNotKept?: boolean }): boolean {
  return answer.isNotKept === true;
}
