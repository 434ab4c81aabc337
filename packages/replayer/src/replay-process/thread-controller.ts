// ThreadController controls one thread of a replay process (docs/engine.md): it runs the thread up to the limit in its
// control words, pauses it there before a task or a statement, moves it back in place, and answers requests while it is
// paused.
//
// No thread waits for a paused thread. Every thread may run up to its first task after one position in the order of the
// run index, and in this order each task follows the tasks that sent the messages which its thread took before. So the
// sender of a message that a thread waits for may run, or is on its way to the task where it pauses. A paused thread
// has published what it sent, and keeps publishing messages that found no room yet.
import { isMainThread, type MessagePort } from 'node:worker_threads';
import type { Loader } from '../thread/loader.ts';
import type { ProgramState } from '@turntable/program-state';
import type { StatementClock, StatementPosition, StatementWatch } from '@turntable/core';
import type { TraceEvent } from '@turntable/recording';
import { NAVIGABLE_EVENT_KINDS, type RunEventKind } from '@turntable/time-machine/task-log';
import type {
  ThreadWriteResult,
  ProcessOptions,
  ThreadHit,
  ThreadName,
  ThreadRequestName,
  ThreadRequests,
  WriteRequest,
} from '@turntable/time-machine/replay-process';
import { interceptTape, markOwnListener, type ReplayTape, type Halt, type Scheduler } from '@turntable/runtime';
import { TRACE_SOURCES } from '@turntable/recording/sources';
import type { StartedStatement } from './call-trail.ts';
import { ControlWords, type ControlState, type ControlTarget } from './control-words.ts';
import { CoordinatorChannel, type IdleReport, type ThreadRequest } from './coordinator-channel.ts';
import { ThreadInspector } from './thread-inspector.ts';
import { BreakpointScanner } from './breakpoint-scanner.ts';
import { InPlaceWriteFinder } from './in-place-write-finder.ts';
import { UndoHistory, type ReexecutionResult } from './undo-history.ts';
import { PromiseTracker } from './promise-tracker.ts';
import { PauseLoop } from './pause-loop.ts';
import { TaskTracers } from './task-tracers.ts';
import { stateRootsOf } from './thread-state.ts';
import { ValueWatch } from './value-watch.ts';
import { WriteTracker, type UndonePosition } from './write-tracker.ts';
import { RunEventObserver } from '../replay/thread/run-event-observer.ts';
import type { StartedTask } from '../replay/thread/task-tracker.ts';
import type { ThreadObserver } from '../replay/thread/thread-observer.ts';

/** Number of tasks before the limit that can be undone. */
const UNDO_RANGE = 128;
/** The same in a process that tracks writes, where each change is noted twice. Another process serves older tasks. */
const UNDO_RANGE_WITH_WRITES = 16;
/** Sources whose calls into the program are intercepted, so that their tasks can be undone. */
const UNDOABLE_SOURCES: ReadonlySet<number> = new Set([
  TRACE_SOURCES.timer,
  TRACE_SOURCES.device,
  TRACE_SOURCES.settled,
  TRACE_SOURCES.promise,
]);

export interface ThreadControllerDeps {
  readonly thread: ThreadName;
  readonly memory: SharedArrayBuffer;
  /** Port to the coordinator. */
  readonly port: MessagePort;
  /** Index among all threads of the recording. */
  readonly index: number;
  /** Options of the process, read when the program is about to be loaded. Threads that scan never pause. */
  processOptions(): ProcessOptions;
  /** Whether the process resumes from a snapshot. */
  isRestored(): boolean;
  tape(): ReplayTape;
}

export class ThreadController implements ThreadObserver {
  readonly #words: ControlWords;
  readonly #channel: CoordinatorChannel;
  readonly #pauseLoop: PauseLoop;
  readonly #tape: () => ReplayTape;
  readonly #worker: number;
  #scheduler: Scheduler | undefined;
  #loader: Loader | undefined;
  #clock: StatementClock | undefined;
  #state: ProgramState | undefined;
  #inspector: ThreadInspector | undefined;
  readonly #readOptions: () => ProcessOptions;
  readonly #isRestored: () => boolean;
  #options: ProcessOptions = {};
  readonly #isThisThread: (name: ThreadName | undefined) => boolean;
  #scanner: BreakpointScanner | undefined;
  #eventObserver: RunEventObserver | undefined;
  #valueWatch: ValueWatch | undefined;
  #writeTracker: WriteTracker | undefined;
  #inPlaceWriteFinder: InPlaceWriteFinder | undefined;
  /** Target within the current task while its writes are tracked. */
  #target: ControlTarget;
  #startedTasks = 0;
  /** Run number at the last request. Object numbers are valid within one run. */
  #lastRequestRun = 0;
  readonly #taskTracers = new TaskTracers();
  #promiseTracker: PromiseTracker | undefined;
  /** Undefined in processes that cannot move back in place. */
  #undoHistory: UndoHistory | undefined;
  #isIntercepted = false;
  /** The thread ended during a task, not after one. */
  #hasEndedInTask = false;
  /** The program is behind the front, or re-executes a task. */
  #isUndone = false;
  /** The statement of a re-execution at which the thread is paused. */
  #reexecutedStatement: StartedStatement | undefined;
  /** The thread is blocked in the pause loop. Otherwise requests arrive on the event loop, with an empty stack. */
  #isInPauseLoop = false;
  /** The state of the snapshot from which the process resumed has been restored. */
  #hasRestored = false;

  constructor({ thread, memory, port, index, processOptions, isRestored, tape }: ThreadControllerDeps) {
    this.#words = new ControlWords(memory, index);
    this.#tape = tape;
    this.#worker = thread.worker;
    this.#readOptions = processOptions;
    this.#isRestored = isRestored;
    this.#isThisThread = (name) => name?.worker === thread.worker && name.epoch === thread.epoch;
    this.#channel = new CoordinatorChannel(port, (request) => this.#handleRequest(request));
    this.#pauseLoop = new PauseLoop({
      words: this.#words,
      channel: this.#channel,
      scheduler: () => this.#scheduler,
      writeCodeCacheSlice: () => this.#loader?.writeCodeCacheSlice() === true,
    });
  }

  attachLoader(loader: Loader): void {
    this.#words.state = 'running';
    this.#options = this.#readOptions();
    const eventKinds = this.#options.breakpoints?.flatMap(({ kind }) => kind ?? []) ?? NAVIGABLE_EVENT_KINDS;
    this.#eventObserver = new RunEventObserver(eventKinds, {
      // Only scans and task traces use events. Re-executed code creates events again, which are not reported.
      isListening: () => this.#scanner !== undefined || this.#taskTracers.current !== undefined,
      onEvent: (kind, detail) => this.#onEvent(kind, detail),
    });
    this.#loader = loader;
    this.#clock = loader.statementClock;
    this.#eventObserver.attachLoader(loader);
    this.#createObservers(loader);
    if (!isMainThread)
      process.on(
        'exit',
        markOwnListener(() => (this.#words.state = 'gone')),
      );
    const { undoLog, statementClock: statements } = loader;
    const { breakpoints, watch, writeTracking } = this.#options;
    const isInspected = breakpoints === undefined && watch === undefined && writeTracking === undefined;
    if ((isInspected || writeTracking?.hasUndoLogs === true) && undoLog !== undefined && statements !== undefined) {
      this.#undoHistory = new UndoHistory(loader, undoLog, statements);
      loader.intercept(this.#undoHistory);
      interceptTape(this.#undoHistory, this.#tape());
      if (isInspected)
        this.#inPlaceWriteFinder = new InPlaceWriteFinder(
          loader,
          this.#tape,
          this.#undoHistory,
          () => this.#startedTasks,
        );
      if (isInspected) void loader.programState().then((state) => (this.#state = state));
    }
    // Threads that scan or watch receive no requests.
    if (breakpoints === undefined && watch === undefined)
      this.#promiseTracker = new PromiseTracker(() => this.#words.startedTasks);
    this.#inspector = new ThreadInspector(loader, this.#worker, {
      tape: () => this.#tape(),
      scheduler: () => this.#scheduler,
      promiseTracker: this.#promiseTracker,
      undoHistory: this.#undoHistory,
      programState: () => this.#state,
      // Clients must not take object numbers of another process for those of this one.
      firstObjectId: writeTracking === undefined ? 0 : 10_000,
    });
  }

  #createObservers(loader: Loader): void {
    const { breakpoints, writeTracking, watch } = this.#options;
    const sendHits = (hits: readonly ThreadHit[]): void => {
      this.#words.countHitMessage();
      this.#channel.send({ id: 0, hits });
    };
    const deps = { loader, tape: this.#tape, sendHits };
    if (breakpoints !== undefined) this.#scanner = new BreakpointScanner(breakpoints, deps);
    if (this.#isThisThread(writeTracking))
      this.#writeTracker = new WriteTracker(loader, this.#tape, { ...writeTracking });
    if (watch !== undefined && this.#isThisThread(watch))
      this.#valueWatch = new ValueWatch(watch, { ...deps, sendChanges: sendHits, scheduler: () => this.#scheduler });
  }

  #flushHits(): void {
    this.#scanner?.flush();
    this.#valueWatch?.flush();
  }

  attachScheduler(scheduler: Scheduler): void {
    this.#scheduler = scheduler;
    // This is the program's first `start()` or `spawn()`. Calls to the scheduler are not intercepted yet.
    this.#undoHistory?.preventUndo('the app was started');
    this.#promiseTracker?.attachScheduler(scheduler);
    this.#eventObserver?.attachScheduler(scheduler);
  }

  taskStarted(task: StartedTask): void {
    this.#hasRestored = true;
    const words = this.#words;
    const { turn } = task;
    const actor = turn?.actor;
    if (this.#startedTasks === 0) this.#promiseTracker?.addRestored();
    this.#undoHistory?.endTask();
    this.#taskTracers.current = undefined;
    this.#inspector?.turnStarting(turn);
    this.#writeTracker?.turnStarting(actor?.root);
    this.#valueWatch?.turnStarting(actor);
    this.#valueWatch?.check(this.#startedTasks);
    if (this.#startedTasks >= words.limit) this.#pause('at-task', () => this.#startedTasks < words.limit);
    this.#inspector?.taskStarted();
    words.startedTasks = ++this.#startedTasks;
    if (this.#scanner !== undefined) {
      this.#scanner.startTask();
      this.#clock?.watch(this.#onScannedStatement);
    } else {
      this.#logForUndo(task);
      if (this.#writeTracker !== undefined) this.#trackWrites(this.#writeTracker);
      else if (words.tracking === 'statements') this.#traceTask(words.runNumber);
      else if (this.#startedTasks === words.limit) this.#armTarget();
    }
    this.#eventObserver?.taskStarted(task.turn);
  }

  eventTaken(event: TraceEvent): void {
    if (event.type !== 'outcome') this.#hasRestored = true;
    this.#eventObserver?.eventTaken(event);
  }

  #onEvent(kind: RunEventKind, detail: string): void {
    this.#scanner?.addEvent(kind, detail, this.#currentPosition);
    this.#taskTracers.current?.addEvent(kind, detail);
  }

  /** Logs the changes of the last tasks before the limit, so that they can be undone. */
  #logForUndo({ kind, entry }: StartedTask): void {
    const undoHistory = this.#undoHistory;
    if (undoHistory === undefined) return;
    const range = this.#options.writeTracking === undefined ? UNDO_RANGE : UNDO_RANGE_WITH_WRITES;
    const isInRange = this.#words.limit - this.#startedTasks < range && this.#words.tracking !== 'statements';
    const isUndoable =
      kind !== 'evaluation' && kind !== 'stop' && (entry === undefined || UNDOABLE_SOURCES.has(entry.source));
    if (!isInRange || !isUndoable) return undoHistory.startUntracked();
    if (!this.#isIntercepted && this.#scheduler !== undefined) {
      this.#isIntercepted = true;
      this.#scheduler.intercept(undoHistory, undoHistory);
    }
    undoHistory.startTask();
  }

  #trackWrites(writeTracker: WriteTracker): void {
    writeTracker.startTask(this.#startedTasks);
    this.#target = this.#startedTasks === this.#words.limit ? this.#words.takeTarget() : undefined;
    this.#clock?.watch(this.#onTrackedStatement);
  }

  readonly #onTrackedStatement: StatementWatch = (file, statement, locals, list, listStatement) => {
    this.#writeTracker?.addStatement(file, statement, locals, list, listStatement, this.#target !== undefined);
    if (!isTargetReached(this.#target, list, listStatement)) return;
    this.#onTargetReached(file, statement, locals);
    // Taking a target writes to shared memory, which would be logged as a change of the program's.
    this.#runAsHost(() => {
      this.#target =
        this.#startedTasks === this.#words.limit && this.#isTargetAhead ? this.#words.takeTarget() : undefined;
    });
  };

  /** Traces all statements of the task that starts. */
  #traceTask(runNumber: number): void {
    if (this.#loader !== undefined)
      this.#taskTracers.startTask(this.#startedTasks, runNumber, this.#loader.locateProbe);
    this.#clock?.watch(this.#onTracedStatement);
  }

  readonly #onScannedStatement = (file: string, statement: number, locals: readonly unknown[]): void =>
    this.#scanner?.addStatement(file, statement, locals, this.#currentPosition);

  readonly #currentPosition = (): readonly [number, number, number] => {
    const { list, statement } = this.#clock?.position ?? { list: 0, statement: 0 };
    return [this.#startedTasks, list, statement];
  };

  taskEnded(): void {
    this.#undoHistory?.endTask();
    this.#eventObserver?.taskEnded();
  }

  /** Arms the target within the current task, which is paused or has not begun. */
  #armTarget(): void {
    const target = this.#words.takeTarget();
    if (target === undefined || this.#clock === undefined) return;
    if (target === 'next') this.#clock.stopNext(this.#onTargetReached);
    else this.#clock.stopAt(target, this.#onTargetReached);
  }

  readonly #onTracedStatement: StatementWatch = (file, statement, _, list, listStatement) => {
    if (this.#taskTracers.current?.addStatement(file, statement, list, listStatement) !== true)
      this.#clock?.watch(undefined);
  };

  readonly #onTargetReached = (file: string, statement: number, locals: readonly unknown[]): void =>
    this.#runAsHost(() => {
      const words = this.#words;
      const { runNumber } = words;
      this.#pauseAtStatement(file, statement, locals, () =>
        this.#pause('at-statement', () => words.runNumber !== runNumber),
      );
      // A thread that must move back within its task does so after the task's end.
      if (this.#startedTasks === words.limit && this.#isTargetAhead && this.#writeTracker === undefined)
        this.#armTarget();
    });

  /** Runs code whose changes are not the program's. */
  #runAsHost(run: () => void): void {
    if (this.#undoHistory === undefined) run();
    else this.#undoHistory.runAsHost(run);
  }

  /** Whether a target in the current task is after the thread's position. */
  get #isTargetAhead(): boolean {
    const { target } = this.#words;
    const { position } = this.#clock ?? {};
    if (typeof target !== 'object' || position === undefined) return true;
    return target.list > position.list || (target.list === position.list && target.statement > position.statement);
  }

  #pauseAtStatement(file: string, statement: number, locals: readonly unknown[], waitAtStatement: () => void): void {
    const { list, statement: listStatement } = this.#clock?.position ?? { list: 0, statement: 0 };
    this.#words.setPausedAt(list, listStatement);
    this.#inspector?.pausedAt({ file, statement, locals });
    waitAtStatement();
    this.#inspector?.resumed();
  }

  threadHalted({ reason, isBetweenTurns, error }: Pick<Halt, 'reason' | 'isBetweenTurns' | 'error'>): void {
    this.#hasEndedInTask = isBetweenTurns !== true;
    this.#eventObserver?.taskEnded();
    this.#valueWatch?.check(this.#startedTasks);
    this.#flushHits();
    if (reason === 'diverged')
      this.#channel.send({ id: 0, divergence: error?.message ?? 'the replay differs from the recording' });
    this.#words.setEnded(reason);
    this.#channel.notify();
  }

  errorUncaught(error: string): void {
    this.#undoHistory?.preventUndo('an error was uncaught');
    this.#eventObserver?.errorUncaught(error);
  }

  processEnding(): void {}

  /** Holds the ended thread, wherever it ended, until the process must end by itself. */
  holdAtEnd(): void {
    const words = this.#words;
    if (words.state === 'ended') this.#pause('ended', () => words.isReleased);
  }

  /** Whether the process must stay alive although nothing happens in it. */
  get keepsProcessAlive(): boolean {
    return !this.#words.isReleased;
  }

  /** Blocks the thread until `canResume` returns true. Between tasks, it moves back from here on request. */
  #pause(state: ControlState, canResume: () => boolean): void {
    const wasInPauseLoop = this.#isInPauseLoop;
    this.#isInPauseLoop = true;
    const isBetweenTurns = state !== 'at-statement' && !(state === 'ended' && this.#hasEndedInTask);
    for (;;) {
      const shouldMoveBack = (): boolean => isBetweenTurns && this.#shouldUndo;
      this.#runPauseLoop(state, () => canResume() || shouldMoveBack());
      if (!shouldMoveBack()) break;
      this.#moveInUndone();
    }
    this.#isInPauseLoop = wasInPauseLoop;
  }

  #runPauseLoop(state: ControlState, canResume: () => boolean): void {
    this.#flushHits();
    this.#pauseLoop.pause(state, canResume);
    this.#undoHistory?.undoEvaluation();
    const words = this.#words;
    if (state !== 'ended' || this.#isUndone) words.state = this.#isUndone ? 'undoing' : 'running';
  }

  /** Whether the words ask for a position behind the front. Valid between two tasks only. */
  get #shouldUndo(): boolean {
    const { limit, target, isReleased } = this.#words;
    if (isReleased || this.#scanner !== undefined) return false;
    return limit < this.#startedTasks || (limit === this.#startedTasks && target !== undefined);
  }

  /** Moves the program behind the front, for as many requested positions as there are, and returns it to the front. */
  #moveInUndone(): void {
    const words = this.#words;
    const undoHistory = this.#undoHistory;
    this.#isUndone = true;
    words.state = 'undoing';
    this.#writeTracker?.pauseListening();
    undoHistory?.leaveFront();
    while (this.#shouldUndo) this.#undoToTarget(undoHistory);
    undoHistory?.returnToFront();
    this.#writeTracker?.resumeListening();
    words.startedTasks = this.#startedTasks;
    words.state = 'running';
    this.#isUndone = false;
  }

  #undoToTarget(undoHistory: UndoHistory | undefined): void {
    const words = this.#words;
    const { runNumber, limit } = words;
    const target = words.takeTarget();
    const isReached = undoHistory?.undoTo(this.#startedTasks - (target === undefined ? limit : limit - 1)) === true;
    if (!isReached) return this.#pauseUntilNextRun('undo-failed', runNumber);
    words.startedTasks = limit;
    if (target === undefined) return this.#pauseUntilNextRun('at-task', runNumber);
    // If the task ends before the target, the loop in `#moveInUndone` decides again by the current words.
    const reexecute = (): ReexecutionResult =>
      words.tracking === 'writes' && this.#inPlaceWriteFinder !== undefined
        ? this.#inPlaceWriteFinder.reexecute(limit, (writeTracker) =>
            undoHistory.reexecute(() => this.#trackReexecution(writeTracker, target, limit, undoHistory)),
          )
        : undoHistory.reexecute(() => this.#armReexecution(target, limit, undoHistory));
    const result = this.#promiseTracker === undefined ? reexecute() : this.#promiseTracker.reexecute(reexecute);
    if (result !== 'diverged') return;
    words.setEnded('diverged');
    this.#runPauseLoop('ended', () => words.isReleased);
  }

  #armReexecution(target: ControlTarget, limit: number, undoHistory: UndoHistory): void {
    if (target === undefined || this.#clock === undefined) return;
    const words = this.#words;
    const onHit = (file: string, statement: number, locals: readonly unknown[]): void =>
      this.#runAsHost(() => {
        this.#pauseInReexecution(file, statement, locals, limit, undoHistory);
        this.#armReexecution(words.takeTarget(), limit, undoHistory);
      });
    if (target === 'next') this.#clock.stopNext(onHit);
    else this.#clock.stopAt(target, onHit);
  }

  /** As `#armReexecution`, for a re-execution whose writes are tracked. */
  #trackReexecution(
    writeTracker: WriteTracker,
    firstTarget: ControlTarget,
    limit: number,
    undoHistory: UndoHistory,
  ): void {
    const words = this.#words;
    let target = firstTarget;
    this.#clock?.watch((file, statement, locals, list, listStatement) => {
      writeTracker.addStatement(file, statement, locals, list, listStatement, true);
      if (!isTargetReached(target, list, listStatement)) return;
      this.#runAsHost(() => {
        this.#pauseInReexecution(file, statement, locals, limit, undoHistory);
        target = words.takeTarget();
      });
    });
  }

  /** Pauses at a statement of a re-execution. Stops the re-execution then, unless the next target is in this task. */
  #pauseInReexecution(
    file: string,
    statement: number,
    locals: readonly unknown[],
    limit: number,
    undoHistory: UndoHistory,
  ): void {
    const words = this.#words;
    const { runNumber, tracking } = words;
    this.#reexecutedStatement = { file, statement, locals };
    this.#pauseAtStatement(file, statement, locals, () => this.#pauseUntilNextRun('at-statement', runNumber));
    this.#reexecutedStatement = undefined;
    const isTargetAhead =
      words.limit === limit && !words.isReleased && words.target !== undefined && this.#isTargetAhead;
    if (!isTargetAhead || words.tracking !== tracking) undoHistory.stopReexecution();
  }

  /** @param runNumber the run that brought the thread to its present position */
  #pauseUntilNextRun(state: ControlState, runNumber: number): void {
    this.#runPauseLoop(state, () => this.#words.runNumber !== runNumber);
  }

  #handleRequest({ id, request, params }: ThreadRequest): void {
    // Object numbers end with the run in which they were given.
    if (this.#words.runNumber !== this.#lastRequestRun) this.#inspector?.forgetIds();
    this.#lastRequestRun = this.#words.runNumber;
    if (request === 'idleReport') return this.#answerIdleRequest(id);
    try {
      const result = this.#resultOf(request, params);
      this.#channel.send({ id, result: result ?? null });
    } catch (error) {
      this.#channel.send({ id, error: error instanceof Error ? error.message : String(error) });
    }
  }

  #resultOf(request: ThreadRequestName, params: unknown): unknown {
    if (request === 'taskTraces') return this.#taskTracers.toTaskTraces();
    if (request === 'undoEvaluation') return this.#undoHistory?.undoEvaluation();
    if (request === 'canUndo') return this.#undoHistory?.canUndo === true;
    if (request === 'lastWrite') return this.#findLastWrite(params as WriteRequest);
    if (request === 'evaluateAt') {
      const { expression, ...position } = params as ThreadRequests['evaluateAt']['params'];
      const statement = this.#writeTracker?.statementAt(position);
      if (statement === undefined) throw new RangeError('no statement of this task has begun there');
      return this.#inspector?.evaluateAt(statement, expression);
    }
    if (request === 'localsAt') {
      const statement = this.#writeTracker?.statementAt(params as StatementPosition);
      return statement === undefined ? [] : this.#inspector?.localsOf(statement);
    }
    return this.#inspector?.answer(request, params);
  }

  #findLastWrite(request: WriteRequest): ThreadWriteResult | undefined {
    const { thisActor } = request;
    if (thisActor === undefined && this.#writeTracker === undefined) return this.#inPlaceWriteFinder?.find(request);
    const [root] = (thisActor && this.#loader && stateRootsOf(this.#loader, this.#scheduler, thisActor.actor)) ?? [];
    if (thisActor !== undefined && root?.[0] !== 'this') throw new TypeError(`${thisActor.actor} does not live here`);
    const thisObject = root?.[1] as object | undefined;
    if (!this.#isUndone) return this.#writeTracker?.find(request, thisObject);
    return this.#writeTracker?.findUndone(request, this.#undonePosition, thisObject);
  }

  /** The program's position after a move back in place. */
  get #undonePosition(): UndonePosition {
    const { limit, pausedAt } = this.#words;
    const reexecuted = this.#reexecutedStatement;
    if (reexecuted === undefined)
      return { position: { task: limit + 1, list: 0, statement: 0 }, statement: reexecuted };
    return { position: { task: limit, ...pausedAt }, statement: reexecuted };
  }

  /** Reports whether the thread is idle. A thread that rests in its event loop may move back from there. */
  #answerIdleRequest(id: number): void {
    const idleReport = this.#idleReport();
    const shouldMoveBack = !this.#isInPauseLoop && idleReport.isIdle && this.#shouldUndo;
    this.#channel.send({ id, result: { ...idleReport, isIdle: idleReport.isIdle && !shouldMoveBack } });
    if (!shouldMoveBack) return;
    const { state } = this.#words;
    this.#pause('at-task', () => !this.#shouldUndo);
    this.#words.state = state;
  }

  /** The request is a macrotask, so the task before it is over. */
  #idleReport(): IdleReport {
    this.#eventObserver?.taskEnded();
    const tape = this.#tape();
    const { events } = tape.progress;
    const hasEnded = tape.halt !== undefined;
    const isEntryNext = tape.nextEvent?.type === 'entry';
    // A restored scheduler is paused until its state is in place.
    this.#hasRestored ||= this.#scheduler === undefined ? !this.#isRestored() : !this.#scheduler.isPaused;
    const isResting = hasEnded || (this.#hasRestored && !isEntryNext && (this.#scheduler?.isReplayIdle ?? true));
    // No code of the last task is left to run.
    if (isResting) this.#valueWatch?.check(this.#startedTasks);
    this.#flushHits();
    return { isIdle: isResting, isRestored: hasEnded || this.#hasRestored, progress: events + this.#startedTasks };
  }
}

function isTargetReached(target: ControlTarget, list: number, statement: number): boolean {
  if (target === undefined) return false;
  return target === 'next' || (list - target.list || statement - target.statement) >= 0;
}
