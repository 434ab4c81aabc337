// A client of the debug server with its state: makes moves, sets breakpoints, evaluates expressions, and loads what the
// views show at each position. It knows the protocol, and nothing about windows.
import { loadActors, RequestError, type Client, type RequestOptions } from '@turntable/time-machine/client';
import {
  ERROR_CODES,
  type MoveResult,
  type MethodName,
  type ParamsOf,
  type ResultOf,
  type Override,
  type CursorInfo,
} from '@turntable/time-machine/protocol';
import { ActorStateModel } from './actor-state.ts';
import { BookmarksModel } from './bookmarks.ts';
import { TreeExpander } from './tree-expander.ts';
import { isBreakpointAt } from './breakpoints.ts';
import { moveCommands, type MoveCommand } from './commands.ts';
import { isInFocus, orderOfPosition, type Focus } from './focus.ts';
import { SearchModel } from './search.ts';
import { LatestRequest } from './latest-request.ts';
import { WriteHistoryModel, type ValueContext } from './write-history.ts';
import { OutputModel } from './output.ts';
import type { Panes } from './panes.ts';
import { PromisesModel } from './promises.ts';
import { RequestsModel } from './requests.ts';
import type { SessionPort } from './session-port.ts';
import { SnapshotsModel } from './snapshots.ts';
import { INITIAL_STATE, shownLocation, type ConsoleEntry, type SessionState } from './session-state.ts';
import { Store } from './store.ts';
import { OVERVIEW_PAGE_SIZE, Timeline } from './timeline.ts';
import { visit, stepHistory } from './navigation-history.ts';
import { previewsByPath, type ValueTree } from './value-tree.ts';

/** Maximum number of hits of a log point that are loaded. */
const MAX_LOG_HITS = 500;
/** Id of the move to a given position. */
const GOTO_MOVE = 'goto';

export class DebuggerSession implements SessionPort<SessionState> {
  readonly store = new Store<SessionState>(INITIAL_STATE);
  readonly variables = new TreeExpander(
    this,
    () => this.state.tree,
    (tree) => this.store.update({ tree }),
  );
  readonly writeHistory = new WriteHistoryModel(this);
  readonly actorState = new ActorStateModel(this);
  readonly bookmarks = new BookmarksModel(this);
  readonly requests = new RequestsModel(this);
  readonly promises = new PromisesModel(this);
  readonly output = new OutputModel(this);
  readonly search = new SearchModel(this);
  readonly snapshots = new SnapshotsModel(this);
  readonly #connect: (override: Override | undefined) => Promise<Client>;
  readonly #refreshMode: 'request' | 'reconnect';
  #client: Client | undefined;
  readonly #sourceCache = new Map<string, string | undefined>();
  #moveController: AbortController | undefined;
  /** The latest of the moves requested while another move is in progress; earlier ones are dropped. */
  #pendingMove: (() => Promise<void>) | undefined;
  readonly #loading = new LatestRequest(this);
  #consoleEntryCount = 0;
  #logController: AbortController | undefined;

  /**
   * @param connect connects to the server, or to a new one if the last has ended; `override` opens a refused recording
   * @param refreshMode reads a running program's latest events with a `request`, or by a new server and `reconnect`
   */
  constructor(
    connect: (override: Override | undefined) => Promise<Client>,
    refreshMode: 'request' | 'reconnect' = 'request',
  ) {
    this.#connect = connect;
    this.#refreshMode = refreshMode;
  }

  get state(): SessionState {
    return this.store.value;
  }

  /**
   * Connects to the server and loads the recording, at first or after the connection was lost.
   * @param override allows opening a recording that the server has refused
   */
  async open(override?: Override): Promise<void> {
    this.#client = undefined;
    this.store.update({ ...INITIAL_STATE });
    try {
      const client = await this.#connect(override);
      this.#client = client;
      client.onClose = (reason) => this.#connectionLost(reason);
      client.onMoved = ({ cursor }) => void this.#cursorMoved(cursor);
      const hello = await client.hello('debugger');
      const progress = { done: 0, total: hello.taskCount };
      this.store.update({
        stage: 'loading',
        hello,
        progress,
        cursor: hello.cursor,
        commands: moveCommands(hello.moves),
      });
      void this.#cursorMoved(hello.cursor);
      this.store.update({ actors: await loadActors(client) });
      await this.#loadTimeline(hello.taskCount);
      const { breakpoints } = hello.canStep ? await this.request('breakpoints', {}) : { breakpoints: [] };
      this.store.update({ stage: 'ready', breakpoints });
      await this.bookmarks.load();
    } catch (error) {
      this.#connectionLost((error as Error).message);
    }
  }

  /** Reads the latest events of a running program and moves to their end. The views' tabs and breakpoints are kept. */
  async refresh(): Promise<void> {
    const client = this.#client;
    const { stage, panes, breakpoints } = this.state;
    if (client === undefined || stage !== 'ready') return;
    if (this.#refreshMode === 'reconnect') await this.open();
    else if (!(await this.#requestRefresh(client))) return;
    this.showPanes(panes);
    if (breakpoints.length > 0)
      await this.#updateBreakpoints(async () => {
        for (const { id: _, ...each } of breakpoints) await this.request('addBreakpoint', each);
      });
    if (this.#refreshMode === 'reconnect')
      await this.#move('Go to the end', { move: GOTO_MOVE, arguments: { target: 'end' } });
  }

  /** Lets the server reopen the recording up to the latest events, and reconnects. Resolves with false on failure. */
  async #requestRefresh(client: Client): Promise<boolean> {
    this.store.update({ busy: { title: 'Reading the latest events', done: 0, total: 0 }, notice: undefined });
    let closeReason: string | undefined;
    client.onClose = (reason) => void (closeReason = reason);
    try {
      await client.request('refresh', {});
      // The server has reopened the recording, and closes the connections of all clients.
      client.close();
      await this.open();
      return true;
    } catch (error) {
      client.onClose = (reason) => this.#connectionLost(reason);
      this.store.update({ busy: undefined });
      if (closeReason === undefined) this.showError(error);
      else this.#connectionLost(closeReason);
      return false;
    }
  }

  #connectionLost(reason: string): void {
    if (this.state.stage === 'lost') return;
    this.store.update({
      stage: 'lost',
      lostReason: reason,
      refusal: this.#client?.refused,
      busy: undefined,
      isLoading: false,
    });
    this.#client?.close();
  }

  /** Loads the timeline in pages. Views are updated after the first page and whenever the loaded part has doubled. */
  async #loadTimeline(count: number): Promise<void> {
    let timeline = new Timeline(count);
    const requestPage = (from: number): Promise<ResultOf<'overview'>> =>
      this.request('overview', { from, count: OVERVIEW_PAGE_SIZE });
    let nextPage = timeline.isComplete ? undefined : requestPage(timeline.nextOrder);
    for (let shownCount = 0; nextPage !== undefined;) {
      const page = await nextPage;
      // Request the next page while this one is processed.
      nextPage = page.next === undefined ? undefined : requestPage(page.next);
      timeline = timeline.append(page);
      const progress = { done: timeline.loadedCount, total: count };
      const shouldShow = timeline.loadedCount >= 2 * shownCount || timeline.isComplete;
      if (shouldShow) shownCount = timeline.loadedCount;
      this.store.update(shouldShow ? { timeline, progress } : { progress });
    }
    this.store.update({ timeline });
  }

  request<M extends MethodName>(method: M, params: ParamsOf<M>, options?: RequestOptions): Promise<ResultOf<M>> {
    if (this.#client === undefined) return Promise.reject(new RequestError(0, 'not connected'));
    return this.#client.request(method, params, options);
  }

  runMove(command: MoveCommand, args: Readonly<Record<string, string>> = {}): Promise<void> {
    const { move, direction, title, fixedArguments } = command;
    return this.#move(title, { move: move.id, direction, arguments: { ...fixedArguments, ...args } });
  }

  /** Moves to a position. @param position a position, or the order of a task */
  moveTo(position: string | number): Promise<void> {
    const params = { move: GOTO_MOVE, arguments: { target: String(position) } };
    return this.#move(`Go to ${position}`, params);
  }

  /** Moves back or forward in the history of visited positions. */
  async navigate(step: -1 | 1): Promise<void> {
    const navigation = stepHistory(this.state.navigation, step);
    const position = navigation?.positions[navigation.index];
    if (navigation === undefined || position === undefined) return;
    this.store.update({ navigation });
    await this.moveTo(position);
  }

  cancel(): void {
    this.#pendingMove = undefined;
    this.#moveController?.abort();
    this.#logController?.abort();
    this.writeHistory.cancel();
    this.actorState.cancelComparison();
    this.search.cancel();
    this.snapshots.cancel();
  }

  /** Cancels the current operation. If neither a move nor a log point is in progress, also clears the focus. */
  escape(): void {
    if (this.#moveController === undefined && this.#logController === undefined) this.focusOn(undefined);
    this.cancel();
  }

  /** Limits the views to a range of tasks; undefined shows all tasks. */
  focusOn(focus: Focus | undefined): void {
    this.store.update({ focus });
  }

  showPanes(panes: Partial<Panes>): void {
    this.store.update({ panes: { ...this.state.panes, ...panes } });
  }

  async #move(title: string, params: ParamsOf<'move'>): Promise<void> {
    if (this.#moveController !== undefined) {
      this.#pendingMove = () => this.#move(title, params);
      return;
    }
    const controller = new AbortController();
    this.#moveController = controller;
    this.store.update({ busy: { title, done: 0, total: 0 }, notice: undefined });
    try {
      const options = {
        signal: controller.signal,
        onProgress: (done: number, total: number) => this.store.update({ busy: { title, done, total } }),
      };
      this.#handleMoveResult(await this.request('move', params, options));
    } catch (error) {
      this.showError(error);
    } finally {
      this.#moveController = undefined;
      this.store.update({ busy: undefined });
    }
    const pendingMove = this.#pendingMove;
    this.#pendingMove = undefined;
    await pendingMove?.();
  }

  #handleMoveResult({ found, reason, note, isEdge, cursor }: MoveResult): void {
    if (found) void this.#cursorMoved(cursor);
    else this.showNotice(reason ?? 'there is no such position');
    if (found && isEdge === true && note !== undefined) this.showNotice(note);
  }

  showNotice(text: string): void {
    this.store.update({ notice: { text, isError: false } });
  }

  /** Shows an error as a notice, unless it is a cancellation or the connection is lost. */
  showError(error: unknown): void {
    const { code, message } = error as RequestError;
    if (code === ERROR_CODES.cancelled || this.state.stage === 'lost') return;
    this.store.update({ notice: { text: message, isError: true } });
  }

  dismissNotice(): void {
    this.store.update({ notice: undefined });
  }

  async #cursorMoved(cursor: CursorInfo): Promise<void> {
    this.#loading.cancel();
    const previousTree = this.state.tree;
    // Changes are marked against the previous position, but only if the innermost frame was shown there.
    const previousPreviews = this.state.frameIndex === 0 ? previewsByPath(previousTree) : new Map<string, string>();
    const navigation = visit(this.state.navigation, cursor.position);
    this.store.update({ cursor, navigation, frameIndex: 0, isLoading: cursor.statement !== undefined });
    await this.#load(async (signal) => {
      const source = this.#showSource(shownLocation(cursor)?.file, signal);
      if (cursor.statement === undefined) {
        this.store.update({ frames: [], moreAwaiting: 0, tree: { ...previousTree, roots: [], parts: new Map() } });
        await source;
        return;
      }
      const [{ frames, moreAwaiting = 0 }, { entries }] = await Promise.all([
        this.request('frames', {}, { signal }),
        this.request('variables', {}, { signal }),
        source,
      ]);
      if (signal.aborted) return;
      const tree: ValueTree = {
        roots: entries,
        parts: new Map(),
        openPaths: previousTree.openPaths,
        previousPreviews: previousPreviews.size > 0 ? previousPreviews : previousTree.previousPreviews,
      };
      this.store.update({ frames, moreAwaiting, tree });
      await this.variables.loadOpen(signal);
    });
  }

  #load(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    return this.#loading.run(work, () => this.store.update({ isLoading: false }));
  }

  /** Shows the variables of a frame and its location; only the location if the variables are unavailable. */
  async selectFrame(index: number): Promise<void> {
    const location = this.state.frames[index]?.location;
    if (this.state.frames[index]?.hasLocals !== true) {
      if (location !== undefined) await this.showLine(location.file, location.line);
      return;
    }
    this.showPanes({ top: 'variables' });
    this.store.update({ frameIndex: index, isLoading: true });
    await this.#load(async (signal) => {
      await Promise.all([this.#showVariables(index, signal), this.#showSource(location?.file, signal, location?.line)]);
    });
  }

  async #showVariables(frame: number, signal: AbortSignal): Promise<void> {
    const { entries } = await this.request('variables', { frame }, { signal });
    if (signal.aborted) return;
    this.store.update({
      tree: { roots: entries, parts: new Map(), openPaths: this.state.tree.openPaths, previousPreviews: new Map() },
    });
    await this.variables.loadOpen(signal);
  }

  /** Moves to the statement of a frame; in a suspended function, the statement with its `await`. */
  moveToFrame(frame: number): Promise<void> {
    return this.#atFrame(frame, ({ position = '' }) => this.moveTo(position));
  }

  /** Runs an operation on values of the selected frame. */
  atSelectedFrame(run: (context: ValueContext) => Promise<void>): Promise<void> {
    const { frameIndex } = this.state;
    return frameIndex === 0 ? this.#reportErrors(() => run({})) : this.#atFrame(frameIndex, run);
  }

  #atFrame(frame: number, run: (context: ValueContext) => Promise<void>): Promise<void> {
    return this.#reportErrors(async () => {
      const { position, reason } = await this.request('framePosition', { frame });
      if (position !== undefined) await run({ position });
      else this.showNotice(reason ?? 'the position of the frame is not known');
    });
  }

  /** Moves to the statement that sent a task's message. @param from the task's position; the current task by default */
  moveToSend(from?: string): Promise<void> {
    return this.#reportErrors(async () => {
      const { tasks, reason } = await this.request('history', { from, count: 1 });
      const [{ sentAt, task } = {}] = tasks;
      const position = sentAt ?? task?.sender;
      if (position !== undefined) await this.moveTo(position);
      else this.showNotice(reason ?? 'the sender is not known');
    });
  }

  /** Runs an operation and shows its error as a notice, instead of rejecting. */
  async #reportErrors(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.showError(error);
    }
  }

  async #showSource(file: string | undefined, signal?: AbortSignal, line?: number): Promise<void> {
    if (file === undefined || (this.state.source?.file === file && line === undefined)) return;
    const text = await this.loadSource(file);
    if (signal?.aborted !== true) this.store.update({ source: { file, line, text } });
  }

  /** Returns the source of a file; undefined if the recording does not have the source. */
  async loadSource(file: string): Promise<string | undefined> {
    if (!this.#sourceCache.has(file)) this.#sourceCache.set(file, (await this.request('source', { file })).source);
    return this.#sourceCache.get(file);
  }

  /** Shows a line of a file without changing the position. */
  showLine(file: string, line: number): Promise<void> {
    this.showPanes({ middle: 'source' });
    return this.#reportErrors(() => this.#showSource(file, undefined, line));
  }

  async evaluate(expression: string): Promise<void> {
    let isPure = true;
    await this.#addConsoleEntry(expression, async () => {
      const result = await this.request('evaluate', { expression });
      ({ isPure } = result);
      return result;
    });
    if (!isPure) await this.#load((signal) => this.#showVariables(this.state.frameIndex, signal));
  }

  /** Evaluates an expression each time a line is executed in the focus, and adds the values to the console. */
  async logPoint(file: string, line: number, expression: string): Promise<void> {
    const label = `${file.split('/').at(-1) ?? file}:${line}`;
    const controller = new AbortController();
    this.#logController = controller;
    const title = `${expression} at ${label}`;
    const options = {
      signal: controller.signal,
      onProgress: (done: number, total: number) => this.store.update({ busy: { title, done, total } }),
    };
    const { focus, hello } = this.state;
    await this.#addConsoleEntry(title, async () => {
      const params = { file, line, logExpression: expression, from: focus?.from ?? 1, count: MAX_LOG_HITS };
      const { hits, next } = await this.request('logPoint', params, options);
      const isShown = (position: string): boolean =>
        isInFocus(focus, orderOfPosition(position, hello?.phases ?? []) ?? 1);
      return {
        hits: hits.filter(({ position }) => isShown(position)),
        isTruncated: next !== undefined && isInFocus(focus, next),
      };
    });
    this.#logController = undefined;
    this.store.update({ busy: undefined });
  }

  async #addConsoleEntry(
    expression: string,
    operation: () => Promise<NonNullable<ConsoleEntry['result']>>,
  ): Promise<void> {
    const number = ++this.#consoleEntryCount;
    this.showPanes({ bottom: 'expressions' });
    const position = this.state.cursor?.position ?? '';
    this.store.update({
      consoleEntries: [...this.state.consoleEntries, { number, expression, position, result: undefined }],
    });
    let result: ConsoleEntry['result'];
    try {
      result = await operation();
    } catch (error) {
      result = { error: (error as Error).message, isPure: true };
    }
    this.store.update({
      consoleEntries: this.state.consoleEntries.map((each) => (each.number === number ? { ...each, result } : each)),
    });
  }

  toggleBreakpoint(file: string, line: number, condition?: string): Promise<void> {
    const existing = this.state.breakpoints.filter((each) => isBreakpointAt(each, file, line));
    return this.#updateBreakpoints(async () => {
      for (const { id } of existing) await this.request('removeBreakpoint', { id });
      if (existing.length === 0 || condition !== undefined)
        await this.request('addBreakpoint', { file, line, condition });
    });
  }

  /** Adds a breakpoint on an event kind. @param text a part of the event's text; undefined for any event */
  addEventBreakpoint(kind: string, text: string | undefined): Promise<void> {
    return this.#updateBreakpoints(() => this.request('addBreakpoint', { kind, text }));
  }

  enableBreakpoint(id: number, isEnabled: boolean): Promise<void> {
    return this.#updateBreakpoints(() => this.request('updateBreakpoint', { id, isEnabled }));
  }

  removeBreakpoint(id: number): Promise<void> {
    return this.#updateBreakpoints(() => this.request('removeBreakpoint', { id }));
  }

  #updateBreakpoints(change: () => Promise<unknown>): Promise<void> {
    return this.#reportErrors(async () => {
      await change();
      this.store.update(await this.request('breakpoints', {}));
    });
  }
}
