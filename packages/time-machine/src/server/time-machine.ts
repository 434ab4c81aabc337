// Time machine: a recording with a current position, and the answers to requests of clients. All clients share the
// position, because a process that is paused at a statement holds a whole program, and because a user with a terminal
// and a window wants to see the same in both. To look elsewhere, a client requests `find`, which does not move.
// Each method of the protocol is a method here, which ClientConnection calls with validated parameters.
import { HeapSnapshots } from './heap-snapshot.ts';
import type { Redaction } from '@turntable/recording/redaction';
import { StepController, type ReplayDrivers } from '../stepping/step-controller.ts';
import { patternMatcher } from '../moves/pattern.ts';
import { TaskGraph } from '../run-index/task-graph.ts';
import { taskStart, isTaskStart, parsePosition, formatPosition, type Position } from '../position.ts';
import { ERROR_CODES, PROTOCOL_VERSION } from '../protocol.ts';
import type { MoveResult, ParamsOf, ResultOf, CursorInfo } from '../protocol.ts';
import type { StatementLocation } from '../replay-process/task-trace.ts';
import type { RunIndex } from '../run-index/run-index.ts';
import { yieldToOthers, type ClientContext } from './client-context.ts';
import { BreakpointChecks, type CheckExpression } from './breakpoint-checks.ts';
import { BookmarkStore, type Bookmark } from './bookmark-store.ts';
import { MoveResolver, type MoveTarget } from './move-resolver.ts';
import { buildGreeting, type RecordingInfo } from './greeting.ts';
import { Overview } from './overview.ts';
import { invalidParams, steppingUnavailable, ProtocolError } from './protocol-error.ts';
import { senderChainOf } from './sender-chain.ts';
import { SnapshotQueries, type SnapshotCatalog } from './wire/snapshots.ts';
import { searchText } from './text-search.ts';
import { promisesResult } from './wire/promises.ts';
import { unfinishedExpression } from './unfinished-expression.ts';
import { FunctionQueries, type FindFunctions } from './wire/functions.ts';
import { StatementQueries, type FindStatements } from './wire/statements.ts';
import { framesResult } from './wire/frames.ts';
import { eventsPage, requestsPage, statementInfo, taskInfo } from './wire/tasks.ts';

/** Dependencies for moves inside tasks, and for requests that need more than the run index. */
export interface TimeMachineDeps extends ReplayDrivers {
  /** Returns the recorded text of a file; undefined if there is none. */
  readonly findSource: (file: string) => string | undefined;
  /** Returns the files whose texts are recorded. */
  readonly sourceFiles?: () => readonly string[];
  /** The file in which the program starts. */
  readonly entryFile?: string | undefined;
  readonly findStatements?: FindStatements;
  readonly findFunctions?: FindFunctions;
  readonly checkExpression?: CheckExpression;
  /** Starts what the first step needs, in the background. */
  readonly prepare?: () => void;
  /** File of the bookmarks. Without a file, they are kept in memory. */
  readonly bookmarksFile?: string | undefined;
  readonly snapshots?: SnapshotCatalog | undefined;
  /** Redacts the secrets in what clients get; undefined to show them. */
  readonly redaction?: Redaction | undefined;
  /** For a running program: reads the events recorded since, replaces this time machine and returns the new end. */
  readonly refresh?: (() => Promise<number>) | undefined;
}

/** Number of tasks that are tested between two pauses. */
const TASKS_PER_PAUSE = 1 << 14;

export class TimeMachine {
  readonly #graph: TaskGraph;
  readonly #recording: RecordingInfo;
  readonly #version: string;
  readonly #stepper: StepController | undefined;
  readonly #moveResolver: MoveResolver;
  readonly #deps: TimeMachineDeps | undefined;
  readonly #statements: StatementQueries;
  readonly #functions: FunctionQueries;
  readonly #breakpointChecks: BreakpointChecks;
  readonly #bookmarks: BookmarkStore;
  readonly #snapshots: SnapshotQueries;
  readonly #heapSnapshots: HeapSnapshots;
  #overview: Overview | undefined;
  #position: Position = taskStart(1);
  /** Settles after all moves so far, since a move starts at the target of the move before. */
  #moveQueue: Promise<unknown> = Promise.resolve();
  readonly #moveListeners = new Set<(client: number, cursor: CursorInfo) => void>();

  /** @param version version of Turntable */
  constructor(runIndex: RunIndex, recording: RecordingInfo, version: string, deps?: TimeMachineDeps) {
    this.#graph = TaskGraph.of(runIndex);
    this.#statements = new StatementQueries(deps?.findStatements ?? (() => undefined));
    this.#functions = new FunctionQueries(deps ?? {}, this.#statements);
    this.#breakpointChecks = new BreakpointChecks(deps ?? {}, this.#statements);
    const locateFunction = this.#functions.locate;
    this.#stepper =
      deps &&
      new StepController(this.#graph, deps, { locateFunction, prepare: deps.prepare, entryFile: deps.entryFile });
    this.#moveResolver = new MoveResolver(this.#graph, this.#stepper, recording);
    this.#deps = deps;
    this.#heapSnapshots = new HeapSnapshots(deps?.redaction);
    this.#bookmarks = new BookmarkStore(deps?.bookmarksFile);
    this.#snapshots = new SnapshotQueries(deps?.snapshots, this.#graph);
    this.#recording = recording;
    this.#version = version;
  }

  get redaction(): Redaction | undefined {
    return this.#deps?.redaction;
  }

  /** Calls a listener after each move; returns a function that removes it. */
  onMoved(listener: (client: number, cursor: CursorInfo) => void): () => void {
    this.#moveListeners.add(listener);
    return () => void this.#moveListeners.delete(listener);
  }

  hello({ version }: ParamsOf<'hello'>, context: ClientContext): Promise<ResultOf<'hello'>> {
    if (version !== PROTOCOL_VERSION)
      throw new ProtocolError(
        ERROR_CODES.handshake,
        `this server speaks version ${PROTOCOL_VERSION} of the protocol, not ${version}`,
      );
    if (isTaskStart(this.#position) && this.#position.order === 1) this.#stepper?.clientConnected();
    const parts = { client: context.client, recording: this.#recording, version: this.#version, graph: this.#graph };
    const { moves } = this.#moveResolver;
    const greeting = buildGreeting({ ...parts, moves, canStep: this.#stepper !== undefined });
    return this.#withCursor(context, (cursor) => ({ ...greeting, cursor }));
  }

  cursor(_: ParamsOf<'cursor'>, context: ClientContext): Promise<CursorInfo> {
    return this.#withCursor(context, (cursor) => cursor);
  }

  async move(params: ParamsOf<'move'>, context: ClientContext): Promise<MoveResult> {
    const moving = this.#moveQueue.then(async () => {
      context.signal.throwIfAborted();
      const target = await this.#moveResolver.resolve(params, this.#position, context);
      const result = await this.#moveResult(target, this.#position, context.signal);
      // A cancelled move must not change the position, even if the cancellation arrives late.
      context.signal.throwIfAborted();
      context.answer(result);
      if ('position' in target) {
        target.arrive?.();
        this.#moveTo(target.position, result.cursor, context);
      }
      return result;
    });
    this.#moveQueue = moving.catch(() => {});
    return moving;
  }

  async find({ from, thisActor, ...query }: ParamsOf<'find'>, context: ClientContext): Promise<MoveResult> {
    const begin = from === undefined ? this.#position : this.#parsePosition(from);
    if (
      thisActor !== undefined &&
      !this.#moveResolver.moveNamed(query.move).parameters.some(({ kind }) => kind === 'expression')
    )
      throw invalidParams(`the move ${query.move} takes no expression, so it takes no actor`);
    return this.#moveResult(await this.#moveResolver.resolve(query, begin, context, thisActor), begin, context.signal);
  }

  async tasks(params: ParamsOf<'tasks'>, context: ClientContext): Promise<ResultOf<'tasks'>> {
    const { from, count, direction = 'forward', actor, worker } = params;
    const graph = this.#graph;
    const matches = actor === undefined ? undefined : patternMatcher(actor);
    const matchingActors = matches && new Set(graph.actors.filter(({ name }) => matches(name)));
    const step = direction === 'forward' ? 1 : -1;
    const found: ResultOf<'tasks'>['tasks'][number][] = [];
    let order = Math.min(from, graph.count + (step < 0 ? 0 : 1));
    for (let checked = 1; order >= 1 && order <= graph.count && found.length < count; order += step, checked++) {
      const isOnWorker = worker === undefined || graph.worker(order) === worker;
      const actor = graph.actorAt(order);
      if (isOnWorker && (matchingActors === undefined || (actor !== undefined && matchingActors.has(actor))))
        found.push(this.#taskInfo(order));
      if (checked % TASKS_PER_PAUSE === 0) await yieldToOthers(context, checked, graph.count);
    }
    const isMore = order >= 1 && order <= graph.count;
    return { tasks: found, next: isMore ? order : undefined };
  }

  events(params: ParamsOf<'events'>): ResultOf<'events'> {
    return eventsPage(this.#graph, params);
  }

  search(params: ParamsOf<'search'>, context: ClientContext): Promise<ResultOf<'search'>> {
    return searchText(this.#graph, params, (done, total) => yieldToOthers(context, done, total));
  }

  requests(params: ParamsOf<'requests'>): ResultOf<'requests'> {
    return requestsPage(this.#graph, params);
  }

  snapshots(): ResultOf<'snapshots'> {
    return this.#snapshots.all();
  }

  classes(params: ParamsOf<'classes'>, { signal }: ClientContext): Promise<ResultOf<'classes'>> {
    return this.#snapshots.classes(params, signal);
  }

  receivers({ task: order, from = 0, count }: ParamsOf<'receivers'>): ResultOf<'receivers'> {
    if (order > this.#graph.count) throw noSuchTask(order, this.#graph.count);
    const all = this.#graph.receivers(order);
    return {
      tasks: Array.from(all.subarray(from, from + count), (each) => this.#taskInfo(each)),
      total: all.length,
    };
  }

  actors({ actor = '*', from = 0, count }: ParamsOf<'actors'>): ResultOf<'actors'> {
    const matches = patternMatcher(actor);
    const matchingActors = this.#graph.actors
      .filter(({ name }) => matches(name))
      .toSorted((first, second) => (first.tasks[0] ?? 0) - (second.tasks[0] ?? 0));
    const actors = matchingActors.slice(from, from + count).map(({ worker, name, tasks, creation }) => ({
      worker,
      name,
      taskCount: tasks.length,
      firstTask: tasks[0] ?? 1,
      lastTask: tasks.at(-1) ?? 1,
      creation,
    }));
    return { actors, total: matchingActors.length };
  }

  overview(params: ParamsOf<'overview'>): ResultOf<'overview'> {
    this.#overview ??= new Overview(this.#graph);
    return this.#overview.page(params);
  }

  completions(params: ParamsOf<'completions'>): ResultOf<'completions'> {
    return this.#moveResolver.completions(params);
  }

  #moveTo(position: Position, cursor: CursorInfo, { client }: ClientContext): void {
    this.#position = position;
    this.#stepper?.cursorMoved(position);
    for (const listener of this.#moveListeners) listener(client, cursor);
  }

  get #requiredStepper(): StepController {
    if (this.#stepper !== undefined) return this.#stepper;
    throw steppingUnavailable();
  }

  /** A statement for clients. Only code outside of functions has no function name. */
  #statementInfo(place: StatementLocation): ReturnType<typeof statementInfo> {
    const info = statementInfo(place);
    return info.function === '' ? { ...info, function: this.#functions.nameAt(place.file, place) } : info;
  }

  async frames(_: ParamsOf<'frames'>, { signal }: ClientContext): Promise<ResultOf<'frames'>> {
    const stack = await this.#requiredStepper.stack.at(this.#position, signal);
    return framesResult(stack, this.#functions, this.#graph.phases);
  }

  async framePosition(
    { frame }: ParamsOf<'framePosition'>,
    context: ClientContext,
  ): Promise<ResultOf<'framePosition'>> {
    const found = await this.#requiredStepper.stack.positionOf(this.#position, frame, context);
    return 'reason' in found ? found : { position: formatPosition(found, this.#graph.phases) };
  }

  async variables({ frame = 0 }: ParamsOf<'variables'>, { signal }: ClientContext): Promise<ResultOf<'variables'>> {
    return { entries: await this.#requiredStepper.stack.variables(this.#position, frame, signal) };
  }

  expand({ id, from = 0, count }: ParamsOf<'expand'>, { signal }: ClientContext): Promise<ResultOf<'expand'>> {
    return this.#requiredStepper.withDriverAt(this.#position, signal, (driver) => driver.expand(id, { from, count }));
  }

  heapSnapshot(
    { from = 0, count }: ParamsOf<'heapSnapshot'>,
    { signal }: ClientContext,
  ): Promise<ResultOf<'heapSnapshot'>> {
    const at = this.#position;
    return this.#heapSnapshots.piece(at, { from, count }, () =>
      this.#requiredStepper.withDriverAt(at, signal, (driver) => driver.heaps()),
    );
  }

  async text({ id, from = 0, count }: ParamsOf<'text'>, { signal }: ClientContext): Promise<ResultOf<'text'>> {
    const { redaction } = this;
    // A secret may begin before the piece, and its name even earlier.
    const margin = redaction === undefined ? 0 : MAX_SECRET_LENGTH;
    const begin = Math.max(0, from - margin);
    const range = { from: begin, count: from - begin + count + margin };
    const { text, total } = await this.#requiredStepper.withDriverAt(this.#position, signal, (driver) =>
      driver.text(id, range),
    );
    return { text: (redaction?.maskText(text) ?? text).slice(from - begin, from - begin + count), total };
  }

  evaluate(params: ParamsOf<'evaluate'>, { signal }: ClientContext): Promise<ResultOf<'evaluate'>> {
    return this.#requiredStepper.stack.evaluate(this.#position, { effects: undefined, ...params }, signal);
  }

  partsAt(
    { position, from = 0, count, ...query }: ParamsOf<'partsAt'>,
    { signal }: ClientContext,
  ): Promise<ResultOf<'partsAt'>> {
    return this.#requiredStepper.searches.partsAt(this.#parsePosition(position), query, { from, count }, signal);
  }

  async names({ expression, frame }: ParamsOf<'names'>, { signal }: ClientContext): Promise<ResultOf<'names'>> {
    const { object, prefix, from } = unfinishedExpression(expression);
    if (object === '') return { from, names: [] };
    const query = { object, prefix, frame };
    return { from, names: await this.#requiredStepper.stack.names(this.#position, query, signal) };
  }

  async liveActors(params: ParamsOf<'liveActors'>, { signal }: ClientContext): Promise<ResultOf<'liveActors'>> {
    const { actor = '*', from = 0, count } = params;
    const matches = patternMatcher(actor);
    const actors = await this.#requiredStepper.withDriverAt(this.#position, signal, (driver) => driver.actors());
    const all = actors.filter(({ name }) => matches(name));
    return { actors: all.slice(from, from + count), total: all.length };
  }

  async mailbox(params: ParamsOf<'mailbox'>, { signal }: ClientContext): Promise<ResultOf<'mailbox'>> {
    const { worker, id, from = 0, count } = params;
    return this.#requiredStepper.withDriverAt(this.#position, signal, (driver) =>
      driver.mailbox({ worker, id }, { from, count }),
    );
  }

  async promises(
    { from = 0, ...query }: ParamsOf<'promises'>,
    { signal }: ClientContext,
  ): Promise<ResultOf<'promises'>> {
    const promises = await this.#requiredStepper.withDriverAt(this.#position, signal, (driver) =>
      driver.promises({ from, ...query }),
    );
    return promisesResult(promises, { maxPromises: query.count, phases: this.#graph.phases });
  }

  async difference(params: ParamsOf<'difference'>, { signal }: ClientContext): Promise<ResultOf<'difference'>> {
    const { from, to, actor, skip = 0, count } = params;
    const range = [this.#parsePosition(from), to === undefined ? this.#position : this.#parsePosition(to)] as const;
    const { actors } = this.#graph;
    const currentActor = this.#graph.actorAt(this.#position.order);
    const matches = actor === undefined ? undefined : patternMatcher(actor);
    const matchingActors =
      matches === undefined ? [currentActor ?? actors[0]] : actors.filter(({ name }) => matches(name));
    if (matchingActors.length === 0) throw invalidParams(`there is no actor ${JSON.stringify(actor)}; see actors`);
    const owners = matchingActors
      .slice(0, MAX_COMPARED_ACTORS)
      .flatMap((each) => (each ? [{ worker: each.worker, actor: each.name }] : []));
    const { found, isTruncated } = await this.#requiredStepper.searches.stateDifference(owners, range, signal);
    const entries = found.slice(skip, skip + count).map((each) => ({
      ...each,
      path: each.path.slice(0, MAX_LINE_LENGTH),
      before: each.before?.slice(0, MAX_LINE_LENGTH),
      after: each.after?.slice(0, MAX_LINE_LENGTH),
    }));
    return { entries, total: found.length, isTruncated: isTruncated || matchingActors.length > owners.length };
  }

  async changes(params: ParamsOf<'changes'>, context: ClientContext): Promise<ResultOf<'changes'>> {
    const { expression, from, firstTask = 1, lastTask = this.#graph.count, count } = params;
    const position = from === undefined ? this.#position : this.#parsePosition(from);
    const actor = this.#graph.actorAt(position.order);
    if (actor === undefined) throw invalidParams('no task runs at the end of the recording; go to a task first');
    const { worker, epoch } = this.#graph.runIndex.task(position.order);
    const file = (await this.#requiredStepper.locationOf(position, context.signal))?.file;
    const range = { from: firstTask, to: Math.min(lastTask, this.#graph.count), count };
    const { changes, next } = await this.#requiredStepper.searches.valueChanges(
      { worker, epoch, expression, actor: actor.name, file },
      range,
      context,
    );
    const infos = changes.map(({ position: { order }, before, after }) => ({
      task: this.#taskInfo(order),
      before: before.slice(0, MAX_LINE_LENGTH),
      after: after.slice(0, MAX_LINE_LENGTH),
    }));
    return { changes: infos, next };
  }

  async history({ from, count }: ParamsOf<'history'>, context: ClientContext): Promise<ResultOf<'history'>> {
    const { order } = from === undefined ? this.#position : this.#parsePosition(from);
    const senders = senderChainOf(this.#graph, order, count);
    const tasks = new Map<number, ResultOf<'history'>['tasks'][number]>();
    // From earlier to later tasks, since seeking forward is faster.
    for (const each of senders.orders.toReversed()) {
      const sendPosition = this.#stepper && (await this.#stepper.sendPosition(each, context.signal));
      const isInTask = sendPosition !== undefined && !isTaskStart(sendPosition);
      const location = isInTask ? await this.#stepper?.locationOf(sendPosition, context.signal) : undefined;
      tasks.set(each, {
        task: this.#taskInfo(each),
        sentAt: isInTask ? formatPosition(sendPosition, this.#graph.phases) : undefined,
        statement: location && this.#statementInfo(location),
      });
    }
    return { tasks: senders.orders.flatMap((each) => tasks.get(each) ?? []), reason: senders.reason };
  }

  breakpoints(): ResultOf<'breakpoints'> {
    return { breakpoints: this.#requiredStepper.breakpoints.breakpoints };
  }

  async addBreakpoint(params: ParamsOf<'addBreakpoint'>, context: ClientContext): Promise<ResultOf<'addBreakpoint'>> {
    const position = params.at === undefined ? this.#position : this.#parsePosition(params.at);
    const at = params.watch === undefined ? undefined : formatPosition(position, this.#graph.phases);
    const place = this.#breakpointChecks.place(params);
    const note = this.#breakpointChecks.expression(params.condition, params.file);
    const breakpoint = await this.#requiredStepper.breakpoints.add({ ...params, ...place, at }, position, context);
    if (typeof breakpoint === 'string') throw invalidParams(breakpoint);
    return { ...breakpoint, note };
  }

  updateBreakpoint({ id, ...changes }: ParamsOf<'updateBreakpoint'>): ResultOf<'updateBreakpoint'> {
    const stepper = this.#requiredStepper;
    const file = stepper.breakpoints.breakpoints.find((each) => each.id === id)?.file;
    const note = this.#breakpointChecks.expression(changes.condition === '' ? undefined : changes.condition, file);
    const breakpoint = stepper.breakpoints.update(id, changes);
    if (typeof breakpoint === 'string') throw invalidParams(breakpoint);
    return { ...breakpoint, note };
  }

  async logPoint(params: ParamsOf<'logPoint'>, context: ClientContext): Promise<ResultOf<'logPoint'>> {
    this.#breakpointChecks.expression(params.condition, params.file);
    this.#breakpointChecks.expression(params.logExpression, params.file);
    const { hits, next } = await this.#requiredStepper.searches.logPointHits(params, context);
    const infos = hits.map(({ position, logValue, hasParts, error }) => ({
      position: formatPosition(position, this.#graph.phases),
      logValue: logValue?.slice(0, MAX_VALUE_LENGTH),
      hasParts,
      error: error?.slice(0, MAX_VALUE_LENGTH),
    }));
    return { hits: infos, next };
  }

  removeBreakpoint({ id }: ParamsOf<'removeBreakpoint'>): ResultOf<'removeBreakpoint'> {
    return { found: this.#requiredStepper.breakpoints.remove(id) };
  }

  bookmarks(): ResultOf<'bookmarks'> {
    return { bookmarks: this.#bookmarks.all.map((each) => this.#bookmarkInfo(each)) };
  }

  setBookmark({ id, position, note }: ParamsOf<'setBookmark'>): ResultOf<'setBookmark'> {
    const textOf = (at: Position): string => formatPosition(at, this.#graph.phases);
    const newPosition = position === undefined ? undefined : textOf(this.#parsePosition(position));
    return this.#bookmarkInfo(
      id === undefined
        ? this.#bookmarks.add(newPosition ?? textOf(this.#position), note ?? '')
        : this.#bookmarks.update(id, newPosition, note),
    );
  }

  removeBookmark({ id }: ParamsOf<'removeBookmark'>): ResultOf<'removeBookmark'> {
    return { found: this.#bookmarks.remove(id) };
  }

  #bookmarkInfo(bookmark: Bookmark): ResultOf<'setBookmark'> {
    const { phases, count } = this.#graph;
    const order = parsePosition(bookmark.position, phases, count)?.order ?? Infinity;
    return { ...bookmark, task: order > count ? undefined : this.#taskInfo(order) };
  }

  sources(): ResultOf<'sources'> {
    return { files: this.#deps?.sourceFiles?.() ?? [], entry: this.#deps?.entryFile };
  }

  source({ file }: ParamsOf<'source'>): ResultOf<'source'> {
    return { source: this.#deps?.findSource(file) };
  }

  statements(params: ParamsOf<'statements'>): ResultOf<'statements'> {
    return this.#statements.page(params);
  }

  locations({ function: name }: ParamsOf<'locations'>): ResultOf<'locations'> {
    return { locations: this.#functions.locate(name) };
  }

  async refresh(): Promise<ResultOf<'refresh'>> {
    const refresh = this.#deps?.refresh;
    if (refresh !== undefined) return { until: await refresh() };
    throw invalidParams('cannot refresh: the program had ended when the recording was opened');
  }

  moveToEnd(): void {
    this.#position = taskStart(this.#graph.count + 1);
  }

  async close(): Promise<void> {
    this.#snapshots.close();
    await this.#stepper?.close();
  }

  async #moveResult(landing: MoveTarget, fallback: Position, signal: AbortSignal): Promise<MoveResult> {
    if ('reason' in landing)
      return { found: false, reason: landing.reason, cursor: await this.#cursorInfo(fallback, signal) };
    const { position, note, lastWrite, breakpoints, isEdge, fatalError } = landing;
    const cursor = await this.#cursorInfo(position, signal);
    return { found: true, note, lastWrite, breakpoints, isEdge, fatalError, cursor };
  }

  #parsePosition(text: string): Position {
    const position = parsePosition(text, this.#graph.phases, this.#graph.count);
    if (position === undefined) throw invalidParams(`the recording has no position ${JSON.stringify(text)}`);
    return position;
  }

  /** Answers with the current position, even if another client changes it while the result is computed. */
  async #withCursor<T>(context: ClientContext, createResult: (cursor: CursorInfo) => T): Promise<T> {
    for (;;) {
      const position = this.#position;
      const cursor = await this.#cursorInfo(position, context.signal);
      if (position === this.#position) {
        const result = createResult(cursor);
        context.answer(result);
        return result;
      }
      context.signal.throwIfAborted();
    }
  }

  async #cursorInfo(position: Position, signal: AbortSignal): Promise<CursorInfo> {
    const { order } = position;
    const location = await this.#stepper?.locationOf(position, signal);
    return {
      position: formatPosition(position, this.#graph.phases),
      order,
      task: order > this.#graph.count ? undefined : this.#taskInfo(order),
      statement: location && this.#statementInfo(location),
    };
  }

  #taskInfo(order: number): NonNullable<CursorInfo['task']> {
    return taskInfo(this.#graph, order);
  }
}

/** Maximum number of characters of a secret, with its name, that is found in pieces of a text. */
const MAX_SECRET_LENGTH = 1 << 16;
/** Maximum number of characters of a logged value. */
const MAX_VALUE_LENGTH = 100_000;
const MAX_LINE_LENGTH = 10_000;
/** Maximum number of actors whose states one request compares. */
const MAX_COMPARED_ACTORS = 100;

function noSuchTask(order: number, count: number): ProtocolError {
  return invalidParams(`there is no task ${order}: they are numbered from 1 to ${count}`);
}
