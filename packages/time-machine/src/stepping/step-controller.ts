// Moves inside tasks, and inspection at the user's position. There are two drivers. The scout traces all statements of
// a task; moves in either direction are computed from the traces without running the program. The current driver seeks
// to the user's position only when the user inspects variables or frames. So a step costs at most one trace of its
// task. The time machine's server is the caller.
import { setImmediate } from 'node:timers/promises';
import type { OperationContext } from './operation-context.ts';
import { ReplayError } from '../replay-process/replay-error.ts';
import type { ReplayDriver } from '../replay-process/replay-driver.ts';
import type { WriteResult } from '../replay-process/write-result.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';
import { lowerBound } from '../binary-search.ts';
import type { Direction } from '../moves/move.ts';
import { taskStart, comparePositions, isTaskStart, type Position } from '../position.ts';
import { timerDelay, Prefetcher, type Delay } from './prefetcher.ts';
import type { FunctionLocator } from './breakpoints.ts';
import { Activations, type ActivationStep, type NoStep } from './activations.ts';
import { BreakpointController, nearestPosition, type StopHistory } from './breakpoint-controller.ts';
import { parseLocationSpec } from './location-spec.ts';
import { RecordingSearches } from './recording-searches.ts';
import { BreakpointHitCache } from './breakpoint-hit-cache.ts';
import { LocationCache } from './location-cache.ts';
import { explainLastWrite } from './last-write.ts';
import { PausedStack } from './paused-stack.ts';
import type { StepResult } from './step-result.ts';
import { functionKey, type StatementTrace } from '../replay-process/statement-trace.ts';
import { TraceCache } from './trace-cache.ts';
import { TracedMessages, type TracedStatement } from './traced-messages.ts';
import { Watchpoint, type ValueOrigin, type WatchedValue } from './watchpoint.ts';
import type { StateOwner } from '../replay-process/actor-states.ts';
import type { LineBreakpointSpec } from '../replay-process/process-options.ts';
import type { StatementLocation } from '../replay-process/task-trace.ts';
import type { WriteQuery } from '../replay-process/write-requests.ts';

export interface ReplayDrivers {
  /** The driver that answers requests at the user's position. */
  readonly current: ReplayDriver;
  /** The driver that traces tasks and searches, anywhere in the recording. */
  readonly scout: ReplayDriver;
}

export interface EventQuery {
  /** The tasks that have matching events, ascending. */
  readonly tasks: ArrayLike<number>;
  readonly kinds: readonly string[];
  /** Whether the text of an event matches. */
  matches(text: string): boolean;
}

export interface StepRequest {
  readonly from: Position;
  readonly direction: Direction;
  /** The actor that `this` means in expressions; undefined if the user has not chosen one. */
  readonly thisActor?: StateOwner | undefined;
  /** Of the previous stop of a repeated move. */
  readonly history?: StopHistory | undefined;
}

/** Number of steps of a loop after which the server handles other requests. */
const STEPS_PER_TURN = 16_384;
/** Maximum number of tasks that are traced together. */
const TRACE_BATCH_TASKS = 64;

export interface StepControllerOptions {
  /** Delay before a prefetch. */
  readonly delay?: Delay;
  /** Starts what the first step needs, in the background. */
  readonly prepare?: (() => void) | undefined;
  readonly locateFunction?: FunctionLocator;
  /** The file of a location that is only a line, where no statement has begun. */
  readonly entryFile?: string | undefined;
}

/** The target of a move inside tasks. */
export type StepTarget = Position | StepResult | undefined;

export class StepController {
  readonly #graph: TaskGraph;
  readonly #drivers: ReplayDrivers;
  readonly #traces: TraceCache;
  readonly #locations = new LocationCache();
  readonly breakpoints: BreakpointController;
  readonly searches: RecordingSearches;
  readonly stack: PausedStack;
  readonly #locateFunction: FunctionLocator;
  readonly #entryFile: string | undefined;
  /** Settles after all requests to the current driver, which no other request may move in the meantime. */
  #queue: Promise<unknown> = Promise.resolve();
  /** Whether the current driver must seek, since an evaluation may have changed the program at its position. */
  #mustSeek = true;
  readonly #prefetcher: Prefetcher;

  constructor(
    graph: TaskGraph,
    drivers: ReplayDrivers,
    { delay = timerDelay, prepare, locateFunction = () => [], entryFile }: StepControllerOptions = {},
  ) {
    this.#graph = graph;
    this.#drivers = drivers;
    this.#traces = new TraceCache(graph, drivers.scout);
    this.#locateFunction = locateFunction;
    this.#entryFile = entryFile;
    this.searches = new RecordingSearches(drivers.scout, graph.count);
    this.stack = new PausedStack({
      scout: drivers.scout,
      withDriverAt: (position, abortSignal, run) => this.withDriverAt(position, abortSignal, run),
      traceAt: (position, abortSignal) => this.#traceAt(position, abortSignal),
      activations: (context) => this.#activations(context),
    });
    this.breakpoints = new BreakpointController({
      graph,
      searchBreakpoints: (specs, from) => drivers.scout.searchBreakpoints(specs, from),
      locateFunction,
      createWatchpoint: (expression, at) =>
        new Watchpoint(at, {
          taskCount: graph.count,
          findOrigin: (from, abortSignal) => this.#originOf(expression, from, abortSignal),
          valueAt: (position, abortSignal) => this.#valueAt(expression, position, abortSignal),
          searchWrites: () => drivers.scout.searchWrites(expression, at),
        }),
    });
    const { signal } = new AbortController();
    this.#prefetcher = new Prefetcher({
      ...drivers,
      graph,
      prepare,
      delay,
      nextTaskOfWorker: (order) => this.#nextTaskOfWorker(order),
      trace: (from, to) => this.#traces.load(to, signal, [from, to]),
      seek: (position) => this.withDriverAt(position, signal, () => Promise.resolve()),
    });
  }

  // Moves. They return undefined if there is no target.

  /** The next statement of what the statement calls; where it calls nothing, as `stepOver`. */
  stepInto(step: StepRequest, context: OperationContext): Promise<StepTarget> {
    if (isTaskStart(step.from)) return this.nextStatement(step, context);
    return this.#stepInActivation(step, context, (activations, at) =>
      step.direction === 'forward' ? activations.into(at) : activations.backInto(at),
    );
  }

  /** The next statement of the recording, on any thread. */
  async nextStatement({ from, direction }: StepRequest, context: OperationContext): Promise<Position | undefined> {
    const isForward = direction === 'forward';
    return this.#findStatement(from, direction, context, async (trace, index) => {
      const next = isForward ? index + 1 : index - 1;
      return next >= 0 && next < trace.count ? next : undefined;
    });
  }

  /**
   * The next statement of the activation; after its last one, of its caller or of what awaits it. Backward, the statement
   * before; from the first one, the call.
   */
  stepOver(step: StepRequest, context: OperationContext): Promise<StepTarget> {
    return this.#stepInActivation(step, context, (activations, at) =>
      step.direction === 'forward' ? activations.next(at) : activations.previous(at),
    );
  }

  /** The next statement of the caller or of what awaits the activation; backward, the statement that called it. */
  stepOut(step: StepRequest, context: OperationContext): Promise<StepTarget> {
    return this.#stepInActivation(step, context, (activations, at) =>
      step.direction === 'forward' ? activations.finish(at) : activations.call(at),
    );
  }

  /** Forward in the activation: the next statement after the current one in the source, or where it returns to. */
  until(step: StepRequest, context: OperationContext): Promise<StepTarget> {
    return this.#runInActivation(step, context, (location, current) => isAfter(location, current));
  }

  /** Forward to a statement of a location in this activation, or to where it returns to. */
  async untilLocation(step: StepRequest, text: string, context: OperationContext): Promise<StepTarget> {
    const places = await this.#locate(text, step.from, context.signal);
    if ('reason' in places) return places;
    return this.#runInActivation(step, context, (location) => places.some((each) => isAt(location, each)));
  }

  #runInActivation(
    step: StepRequest,
    context: OperationContext,
    isTarget: (location: StatementLocation, current: StatementLocation) => boolean,
  ): Promise<StepTarget> {
    return this.#stepInActivation(step, context, async (activations, start) => {
      const current = start.trace.location(start.index);
      let at = await activations.next(start);
      for (let count = 1; !('reason' in at); count++) {
        if (!at.isSameActivation || isTarget(at.trace.location(at.index), current)) break;
        if (count % STEPS_PER_TURN === 0) await setImmediate();
        context.signal.throwIfAborted();
        at = await activations.next(at);
      }
      return at;
    });
  }

  /** A step from a statement, or the first breakpoint on its way. At the start of a task, the activations are unknown. */
  async #stepInActivation(
    { from, direction, history }: StepRequest,
    context: OperationContext,
    step: (activations: Activations, at: TracedStatement) => Promise<ActivationStep | NoStep>,
  ): Promise<StepTarget> {
    const { signal } = context;
    const isForward = direction === 'forward';
    if (isForward && from.order > this.#graph.count) return { reason: 'this is the end of the recording' };
    const trace = await this.#traceAt(from, signal, direction);
    const index = trace?.indexOf(from) ?? -1;
    if (trace === undefined || (index === -1 && !(isForward && trace.count > 0)))
      return this.#adjacentTask(from, direction, signal);
    if (index === -1) return trace.position(0);
    const found = await step(this.#activations(context), { trace, index });
    if ('reason' in found) return found;
    const position = found.trace.position(found.index);
    const { position: stopPosition, ...stop } = await this.breakpoints.next(
      from,
      direction,
      context,
      history,
      position,
    );
    // A step that passed ignored hits has counted them.
    const isPlain = stopPosition === undefined && stop.history.ignored.size === 0;
    return isPlain ? position : { position: stopPosition ?? position, ...stop };
  }

  #activations({ signal, progress }: OperationContext): Activations {
    const graph = this.#graph;
    return new Activations({
      trace: (order, since) => this.#trace(order, signal, [order - TRACE_BATCH_TASKS, order], since),
      tracesAfter: async function* (this: StepController, from: number, since: number): AsyncGenerator<StatementTrace> {
        const tasks = graph.tasksOfWorker(graph.worker(from));
        for (let i = lowerBound(tasks, from) + 1; i < tasks.length; i++) {
          signal.throwIfAborted();
          const order = tasks[i] as number;
          yield await this.#trace(order, signal, [order, order + TRACE_BATCH_TASKS], since);
          progress(order, graph.count);
        }
      }.bind(this),
      messages: this.#messages(signal),
    });
  }

  /** The nearest execution of a location, or the nearest breakpoint if that comes first. */
  async advance(
    { from, direction, history }: StepRequest,
    text: string,
    context: OperationContext,
  ): Promise<StepTarget> {
    const { signal, progress } = context;
    const places = await this.#locate(text, from, signal);
    if ('reason' in places) return places;
    const { count } = this.#graph;
    const firstTask = direction === 'forward' ? Math.min(from.order, count) : 1;
    const hits = new BreakpointHitCache({
      openSearch: () => this.#drivers.scout.searchBreakpoints(places, taskStart(firstTask)),
      owners: places.map(() => 0),
      hitNumbers: [undefined],
      firstTask,
      taskCount: count,
    });
    try {
      const reportProgress = (done: number): void => progress(done, count);
      const position = await (direction === 'forward'
        ? hits.nextAfter(from, signal, reportProgress)
        : hits.lastBefore(from, signal, reportProgress));
      const { position: stopPosition, ...stop } = await this.breakpoints.next(from, direction, context, history);
      const nearest = nearestPosition(
        [position, stopPosition].filter((each) => each !== undefined),
        direction,
      );
      if (nearest === undefined)
        return { reason: `${text} is not executed ${direction === 'forward' ? 'later' : 'earlier'}` };
      return nearest === stopPosition ? { position: nearest, ...stop } : { position: nearest, breakpoints: [] };
    } finally {
      hits.close();
    }
  }

  /** The nearest stop at a breakpoint; without one, the start or end of the recording. */
  async continue({ from, direction, history }: StepRequest, context: OperationContext): Promise<StepTarget> {
    const { position, ...stop } = await this.breakpoints.next(from, direction, context, history);
    if (position !== undefined) return { position, ...stop };
    const [edge, name] = direction === 'forward' ? [this.#graph.count + 1, 'end'] : [1, 'start'];
    if (from.order === edge && isTaskStart(from)) return { reason: `this is the ${name} of the recording` };
    return { position: taskStart(edge), ...stop, isEdge: true };
  }

  /** The places of a location that a user has written, or the problem. */
  async #locate(
    text: string,
    from: Position,
    signal: AbortSignal,
  ): Promise<readonly LineBreakpointSpec[] | { readonly reason: string }> {
    const location = parseLocationSpec(text);
    if (location === undefined)
      return { reason: `${JSON.stringify(text)} must be LINE, FILE:LINE[:COLUMN], FUNCTION or Class.method` };
    if ('function' in location) {
      const found = this.#locateFunction(location.function);
      return found.length > 0 ? found : { reason: `the recorded code has no function ${location.function}` };
    }
    const { line, column } = location;
    const file = location.file ?? (await this.locationOf(from, signal))?.file ?? this.#entryFile;
    return file === undefined ? { reason: 'there is no current file; give FILE:LINE' } : [{ file, line, column }];
  }

  /** The nearest matching event in a direction. */
  async nextEvent(
    { from, direction }: StepRequest,
    { tasks, kinds, matches }: EventQuery,
    { signal, progress }: OperationContext,
  ): Promise<Position | undefined> {
    const isForward = direction === 'forward';
    const isPast = (each: Position): boolean => comparePositions(each, from) * (isForward ? 1 : -1) > 0;
    const all = Array.from(tasks).filter((order) => (isForward ? order >= from.order : order <= from.order));
    for (const [done, order] of (isForward ? all : all.toReversed()).entries()) {
      signal.throwIfAborted();
      const trace = await this.#trace(order, signal);
      const locations = trace.eventPositions(kinds, matches);
      const found = isForward ? locations.find(isPast) : locations.findLast(isPast);
      if (found !== undefined) return found;
      progress(done, all.length);
    }
    return undefined;
  }

  /** The statement that wrote, passed or sent the value of an expression. */
  lastWrite(
    from: Position,
    { expression, thisActor }: Pick<WriteQuery, 'expression' | 'thisActor'>,
    signal: AbortSignal,
  ): Promise<StepResult> {
    const deps = {
      graph: this.#graph,
      trace: (order: number) => this.#trace(order, signal),
      sendPosition: (order: number) => this.sendPosition(order, signal),
      findLastWrite: async (earlier: readonly (readonly [number, number])[]) => {
        const found = await this.#findLastWrite(from, { expression, earlierStatements: earlier, thisActor }, signal);
        if (found.position !== undefined && found.location !== undefined)
          this.#locations.set(found.position, found.location);
        return found;
      },
    };
    return explainLastWrite(deps, from, { expression, thisActor });
  }

  /** The origin of a watched value at a position; undefined if there is none. */
  async #originOf(expression: string, from: Position, signal: AbortSignal): Promise<ValueOrigin | undefined> {
    try {
      const result = await this.lastWrite(from, { expression, thisActor: undefined }, signal);
      if (!('lastWrite' in result)) return undefined;
      const { position, note, lastWrite } = result;
      return lastWrite.kind === 'written' ? { position } : { position, note };
    } catch (error) {
      // The expression may have no value at an earlier statement.
      if (error instanceof ReplayError && error.code === 'TT_NO_POSITION') return undefined;
      throw error;
    }
  }

  /** The value of a watched expression; undefined if it has none at the position. */
  async #valueAt(expression: string, position: Position, signal: AbortSignal): Promise<WatchedValue | undefined> {
    const { value, isPure } = await this.stack.evaluate(position, { expression, effects: undefined }, signal);
    if (!isPure) this.#mustSeek = true;
    return value && { text: value.preview, isExact: value.id === undefined };
  }

  async #findLastWrite(from: Position, query: WriteQuery, signal: AbortSignal): Promise<WriteResult> {
    if (query.thisActor !== undefined) return this.#drivers.scout.lastWrite(from, query, signal);
    const recentWrite = await this.withDriverAt(from, signal, (driver) => driver.recentWrite(query, signal));
    if (recentWrite.kind !== 'unwritten') return recentWrite;
    return this.#drivers.scout.lastWrite(from, { ...query, since: recentWrite.position?.order }, signal);
  }

  /** The statement that sent the message of a task; if it is unknown, the start of the sending task. */
  async sendPosition(order: number, signal: AbortSignal): Promise<Position | undefined> {
    const send = await this.#messages(signal).sendOf(order);
    if (send !== undefined) return send.trace.position(send.index);
    const sender = order > this.#graph.count ? undefined : this.#graph.sender(order);
    return sender === undefined ? undefined : taskStart(sender);
  }

  #messages(signal: AbortSignal): TracedMessages {
    return new TracedMessages(this.#graph, (order) => this.#trace(order, signal));
  }

  /**
   * Calls `find` task by task until it returns a statement.
   * @param find gets the index to search from: that of `from`, or in later tasks -1 or the number of statements
   */
  async #findStatement(
    from: Position,
    direction: Direction,
    { signal, progress }: OperationContext,
    find: (trace: StatementTrace, index: number) => Promise<number | undefined>,
  ): Promise<Position | undefined> {
    const step = direction === 'forward' ? 1 : -1;
    const { count } = this.#graph;
    const first = Math.min(from.order, step === 1 ? Infinity : count);
    for (let order = first, done = 0; order >= 1 && order <= count; order += step, done++) {
      signal.throwIfAborted();
      const trace = await this.#trace(
        order,
        signal,
        step === 1 ? [order, order + TRACE_BATCH_TASKS] : [order - TRACE_BATCH_TASKS, order],
      );
      const isFirst = order === from.order;
      const found = await find(trace, isFirst ? trace.indexOf(from) : step === 1 ? -1 : trace.count);
      if (found !== undefined) return trace.position(found);
      if (done > 0) progress(done, count);
    }
    return undefined;
  }

  /** The start of the worker's next task; backward, the last outermost statement of the worker's previous task. */
  async #adjacentTask({ order }: Position, direction: Direction, signal: AbortSignal): Promise<Position | undefined> {
    const isForward = direction === 'forward';
    const { count } = this.#graph;
    if (order > count) return isForward || count === 0 ? undefined : this.#lastStatementOf(count, signal);
    const next = this.#nextTaskOfWorker(order, isForward ? 1 : -1);
    if (next === undefined) return isForward ? taskStart(count + 1) : undefined;
    return isForward ? taskStart(next) : this.#lastStatementOf(next, signal);
  }

  #nextTaskOfWorker(order: number, step: 1 | -1 = 1): number | undefined {
    const workerTasks = this.#graph.tasksOfWorker(this.#graph.worker(order));
    return workerTasks[lowerBound(workerTasks, order) + step];
  }

  async #lastStatementOf(order: number, signal: AbortSignal): Promise<Position> {
    const trace = await this.#traceAt(taskStart(order), signal, 'backward');
    const last = trace?.lastOutermost ?? -1;
    return last === -1 || trace === undefined ? taskStart(order) : trace.position(last);
  }

  /** Source location of a position; undefined at the start of a task, or if the statement does not exist. */
  async locationOf(position: Position, signal: AbortSignal): Promise<StatementLocation | undefined> {
    if (isTaskStart(position)) return undefined;
    const known = this.#locations.get(position);
    if (known !== undefined) return known;
    const trace = await this.#traceAt(position, signal);
    if (trace?.isBeyond(position) === true)
      return this.withDriverAt(position, signal, (driver) => Promise.resolve(driver.pausePoint.location));
    const index = trace?.indexOf(position) ?? -1;
    if (trace === undefined || index === -1) return undefined;
    const { list, statement } = trace.position(index);
    return list === position.list && statement === position.statement ? trace.location(index) : undefined;
  }

  /** @param direction expected direction of the next moves. Backward, earlier tasks are traced too, to save seeks. */
  async #traceAt(
    { order }: Position,
    signal: AbortSignal,
    direction: Direction = 'forward',
  ): Promise<StatementTrace | undefined> {
    if (order > this.#graph.count) return undefined;
    return this.#trace(order, signal, direction === 'forward' ? undefined : [order - TRACE_BATCH_TASKS, order]);
  }

  /**
   * @param around first and last task that are needed next. They are traced too, if they are short
   * @param since task from which on the runs of frames must be known
   */
  async #trace(
    order: number,
    signal: AbortSignal,
    around: readonly [number, number] = [order, order],
    since = order,
  ): Promise<StatementTrace> {
    if (!this.#traces.has(order, since)) await this.#prefetcher.whenTraced();
    return this.#traces.load(order, signal, around, since);
  }

  clientConnected(): void {
    this.#prefetcher.clientConnected();
  }

  /** Handles a change of the user's position, after which changes by evaluations are no longer visible. */
  cursorMoved(to: Position): void {
    this.#mustSeek = true;
    this.#prefetcher.cursorMoved(to);
  }

  /** Brings the current driver to a position and sends requests to it, with no other request in between. */
  withDriverAt<T>(position: Position, signal: AbortSignal, run: (driver: ReplayDriver) => Promise<T>): Promise<T> {
    const { current } = this.#drivers;
    const query = this.#queue.then(async () => {
      signal.throwIfAborted();
      const { order, list, statement } = current.pausePoint.position;
      const isThere = order === position.order && list === position.list && statement === position.statement;
      if (!isThere || this.#mustSeek) await current.seek(position, signal);
      signal.throwIfAborted();
      this.#mustSeek = false;
      return run(current);
    });
    this.#queue = query.catch(() => {});
    return query;
  }

  async close(): Promise<void> {
    this.#prefetcher.close();
    this.breakpoints.close();
    await Promise.all([this.#drivers.current.close(), this.#drivers.scout.close()]);
  }
}

/** Whether a statement is in the same function as another one and after it in the source. */
function isAfter(location: StatementLocation, other: StatementLocation): boolean {
  if (functionKey(location) !== functionKey(other)) return false;
  return location.line > other.line || (location.line === other.line && location.column > other.column);
}

/** Whether a statement begins at a place: without a column, on its line. */
function isAt({ file, line, column }: StatementLocation, place: LineBreakpointSpec): boolean {
  if (file !== place.file && !file.endsWith(`/${place.file}`)) return false;
  return line === place.line && (place.column === undefined || column === place.column);
}
