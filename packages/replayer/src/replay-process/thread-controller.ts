// ThreadController controls one thread of a replay process (docs/internals/replay-process.md): it runs the thread up to the limit in its
// control words and pauses it there, before a task or a statement. TaskTracker calls it before each task and after it;
// the coordinator sets the control words and sends requests. While the thread runs, it passes tasks, statements and
// events to the instruments that the process has; InPlaceUndo moves a paused thread back, RequestDispatcher answers.
//
// A running thread never waits for a paused one. A run has one target position in the order of the run index, and each
// thread may run up to its first task after that position. In this order, each task follows the tasks that sent the
// messages which its thread took before. So the sender of a message that a thread waits for has sent it or still runs.
// A paused thread has published its sent messages, and keeps publishing the ones that found no room.
//
// The controller must never change what the program does: its own code runs as the host's, outside of the undo log.
import { isMainThread, type MessagePort } from 'node:worker_threads';
import type { Loader } from '../thread/loader.ts';
import type { StatementClock, StatementWatch } from '@turntable/core';
import type { TraceEvent } from '@turntable/recording';
import { NAVIGABLE_EVENT_KINDS, type RunEventKind } from '@turntable/time-machine/task-log';
import type { ProcessOptions, ThreadHit, ThreadName } from '@turntable/time-machine/replay-process';
import { markOwnListener, type ReplayTape, type Halt, type Scheduler } from '@turntable/runtime';
import type { StartedStatement } from './call-trail.ts';
import { armTarget, isTargetPassed, isTargetReached } from './control-target.ts';
import { ControlWords, type ControlState, type ControlTarget } from './control-words.ts';
import { CoordinatorChannel, type IdleReport } from './coordinator-channel.ts';
import { InPlaceUndo } from './in-place-undo.ts';
import { PauseLoop } from './pause-loop.ts';
import { RequestDispatcher } from './request-dispatcher.ts';
import { TaskTracers } from './task-tracers.ts';
import { createThreadInstruments, type ThreadInstruments } from './thread-instruments.ts';
import type { WriteTracker } from './write-tracker.ts';
import { threadKeyOf } from '../replay/replay-outcome.ts';
import { RunEventObserver } from '../replay/thread/run-event-observer.ts';
import type { StartedTask } from '../replay/thread/task-tracker.ts';
import type { ThreadObserver } from '../replay/thread/thread-observer.ts';

export interface ThreadControllerDeps {
  readonly thread: ThreadName;
  readonly memory: SharedArrayBuffer;
  /** Port to the coordinator. */
  readonly port: MessagePort;
  /** Index among all threads of the recording. */
  readonly index: number;
  /** Options of the process. They must be read late, because a standby process gets them with its assignment. */
  processOptions(): ProcessOptions;
  /** Whether the process resumes from a snapshot. */
  isRestored(): boolean;
  tape(): ReplayTape;
  /** Delivers pending messages of workers while the main thread blocks its event loop. */
  pumpMessages(): void;
}

export class ThreadController implements ThreadObserver {
  readonly #deps: ThreadControllerDeps;
  readonly #words: ControlWords;
  readonly #channel: CoordinatorChannel;
  readonly #pauseLoop: PauseLoop;
  readonly #inPlaceUndo: InPlaceUndo;
  readonly #taskTracers = new TaskTracers();
  /** Present once the program is about to be loaded, as are `#clock` and `#eventObserver`. */
  #loader: Loader | undefined;
  #clock: StatementClock | undefined;
  #eventObserver: RunEventObserver | undefined;
  #scheduler: Scheduler | undefined;
  /** Empty until the program is about to be loaded. */
  #instruments: ThreadInstruments = {};
  /** Number of tasks that the thread has started, undone tasks included. */
  #startedTasks = 0;
  /** Target within the current task while its writes are tracked. */
  #target: ControlTarget;
  /** Whether the thread is blocked in the pause loop. Otherwise, its event loop receives requests between tasks. */
  #isInPauseLoop = false;
  /** Whether the state of the snapshot from which the process resumed has been restored. */
  #hasRestored = false;
  /** In the main thread: functions that replace stopped workers, by thread. */
  readonly #replacements = new Map<string, () => void>();
  /** Whether the thread ended during a task, not after one. */
  #hasEndedInTask = false;

  constructor(deps: ThreadControllerDeps) {
    const scheduler = (): Scheduler | undefined => this.#scheduler;
    const instruments = (): ThreadInstruments => this.#instruments;
    const words = new ControlWords(deps.memory, deps.index);
    const channel = new CoordinatorChannel(deps.port, (request) => requestDispatcher.handle(request));
    this.#deps = deps;
    this.#words = words;
    this.#channel = channel;
    this.#pauseLoop = new PauseLoop({
      words,
      channel,
      scheduler,
      flushHits: () => this.#flushHits(),
      undoEvaluation: () => this.#instruments.undoHistory?.undoEvaluation(),
      writeCodeCacheSlice: () => this.#loader?.writeCodeCacheSlice() === true,
    });
    this.#inPlaceUndo = new InPlaceUndo({
      words,
      pauseLoop: this.#pauseLoop,
      instruments,
      scheduler,
      startedTasks: () => this.#startedTasks,
      showStatement: (statement, pause) => this.#showStatement(statement, pause),
    });
    const requestDispatcher = new RequestDispatcher({
      words,
      channel,
      taskTracers: this.#taskTracers,
      loader: () => this.#loader,
      scheduler,
      instruments,
      undonePosition: () => this.#inPlaceUndo.position,
      answerIdleRequest: (id) => this.#answerIdleRequest(id),
      replaceStopped: (stopped) => this.#replaceStopped(stopped),
    });
  }

  attachLoader(loader: Loader): void {
    const { thread, tape, processOptions } = this.#deps;
    const words = this.#words;
    words.state = 'running';
    this.#loader = loader;
    this.#clock = loader.statementClock;
    const options = processOptions();
    this.#eventObserver = this.#createEventObserver(options);
    this.#eventObserver.attachLoader(loader);
    const markGone = (): void => void (words.state = 'gone');
    if (!isMainThread) process.on('exit', markOwnListener(markGone));
    this.#instruments = createThreadInstruments(options, {
      loader,
      thread,
      tape,
      scheduler: () => this.#scheduler,
      sendHits: (hits) => this.#sendHits(hits),
      startedTasks: () => this.#startedTasks,
      currentTask: () => words.startedTasks,
    });
    const { undoHistory } = this.#instruments;
    if (undoHistory !== undefined) undoHistory.onQueueStep = () => this.#taskTracers.current?.runs.hostCalled();
  }

  #createEventObserver({ breakpoints }: ProcessOptions): RunEventObserver {
    const kinds = breakpoints?.flatMap(({ kind }) => kind ?? []) ?? NAVIGABLE_EVENT_KINDS;
    return new RunEventObserver(kinds, {
      // Only scans and task traces use events. Re-executed code creates events again, which are not reported.
      isListening: () => this.#instruments.scanner !== undefined || this.#taskTracers.current !== undefined,
      onEvent: (kind, detail) => this.#onEvent(kind, detail),
    });
  }

  attachScheduler(scheduler: Scheduler): void {
    this.#scheduler = scheduler;
    // This is the program's first `start()` or `spawn()`. Calls to the scheduler are not intercepted yet.
    this.#instruments.undoHistory?.preventUndo('the app was started');
    this.#instruments.promiseTracker?.attachScheduler(scheduler);
    this.#eventObserver?.attachScheduler(scheduler);
  }

  /** Pauses the thread before the task, if it is after the limit. Returns when the task may run. */
  taskStarted(task: StartedTask): void {
    this.#hasRestored = true;
    const words = this.#words;
    const { undoHistory, promiseTracker, inspector, writeTracker, valueWatch, frameRuns } = this.#instruments;
    if (this.#startedTasks === 0) promiseTracker?.addRestored();
    undoHistory?.endTask();
    this.#taskTracers.current = undefined;
    if (frameRuns !== undefined) frameRuns.listener = undefined;
    const actor = task.turn?.actor;
    inspector?.turnStarting(task.turn);
    writeTracker?.turnStarting(actor?.root);
    valueWatch?.turnStarting(actor);
    valueWatch?.check(this.#startedTasks);
    if (this.#startedTasks >= words.limit) this.#pause('at-task', () => this.#startedTasks < words.limit);
    inspector?.taskStarted();
    words.startedTasks = ++this.#startedTasks;
    frameRuns?.startTask(this.#startedTasks);
    this.#observeTask(task);
    this.#eventObserver?.taskStarted(task.turn);
  }

  /** Sets how the statements of the task that starts are observed, and whether its changes are logged. */
  #observeTask(task: StartedTask): void {
    const words = this.#words;
    const { scanner, writeTracker } = this.#instruments;
    if (scanner !== undefined) {
      scanner.startTask();
      this.#clock?.watch(this.#onScannedStatement);
      return;
    }
    this.#inPlaceUndo.startTask(task);
    if (writeTracker !== undefined) this.#trackWrites(writeTracker);
    else if (words.tracking === 'statements') this.#traceTask(words.runNumber);
    else if (this.#startedTasks === words.limit) this.#armTarget();
  }

  taskEnded(): void {
    this.#instruments.watchpoint?.taskEnded();
    this.#instruments.undoHistory?.endTask();
    this.#eventObserver?.taskEnded();
  }

  eventTaken(event: TraceEvent): void {
    if (event.type !== 'outcome') this.#hasRestored = true;
    this.#eventObserver?.eventTaken(event);
  }

  #onEvent(kind: RunEventKind, detail: string): void {
    this.#instruments.scanner?.addEvent(kind, detail, this.#currentPosition);
    this.#taskTracers.current?.addEvent(kind, detail);
  }

  readonly #onScannedStatement: StatementWatch = (file, statement, locals) =>
    this.#instruments.scanner?.addStatement(file, statement, locals, this.#currentPosition);

  readonly #currentPosition = (): readonly [number, number, number] => {
    const { list, statement } = this.#clock?.position ?? { list: 0, statement: 0 };
    return [this.#startedTasks, list, statement];
  };

  /** Traces all statements of the task that starts. */
  #traceTask(runNumber: number): void {
    if (this.#loader !== undefined)
      this.#taskTracers.startTask(this.#startedTasks, runNumber, this.#loader.locateProbe);
    const { frameRuns } = this.#instruments;
    if (frameRuns !== undefined) frameRuns.listener = this.#taskTracers.current?.runs;
    this.#clock?.watch(this.#onTracedStatement, this.#taskTracers.current?.runs);
  }

  readonly #onTracedStatement: StatementWatch = (file, statement, _, list) => {
    if (this.#taskTracers.current?.addStatement(file, statement, list) !== true) this.#clock?.watch(undefined);
  };

  #trackWrites(writeTracker: WriteTracker): void {
    writeTracker.startTask(this.#startedTasks);
    this.#target = this.#startedTasks === this.#words.limit ? this.#words.takeTarget() : undefined;
    this.#clock?.watch(this.#onTrackedStatement);
  }

  readonly #onTrackedStatement: StatementWatch = (file, statement, locals, list, listStatement) => {
    const target = this.#target;
    this.#instruments.writeTracker?.addStatement(file, statement, locals, list, listStatement, target !== undefined);
    this.#instruments.watchpoint?.addStatement(file, statement, locals, [this.#startedTasks, list, listStatement]);
    if (!isTargetReached(target, list, listStatement)) return;
    this.#onTargetReached(file, statement, locals);
    // Taking a target writes to shared memory, which would be logged as a change of the program's.
    this.#runAsHost(() => (this.#target = this.#isTargetAhead ? this.#words.takeTarget() : undefined));
  };

  /** Arms the target within the current task, which is paused or has not begun. */
  #armTarget(): void {
    armTarget(this.#clock, this.#words.takeTarget(), this.#onTargetReached);
  }

  readonly #onTargetReached = (file: string, statement: number, locals: readonly unknown[]): void =>
    this.#runAsHost(() => {
      const words = this.#words;
      const { runNumber } = words;
      this.#showStatement({ file, statement, locals }, () =>
        this.#pause('at-statement', () => words.runNumber !== runNumber),
      );
      if (this.#isTargetAhead && this.#instruments.writeTracker === undefined) this.#armTarget();
    });

  /** Runs code whose changes are not the program's. */
  #runAsHost(run: () => void): void {
    const { undoHistory } = this.#instruments;
    if (undoHistory === undefined) run();
    else undoHistory.runAsHost(run);
  }

  /** Whether the next target, if any, is ahead in this task. A thread moves back only after the task's end. */
  get #isTargetAhead(): boolean {
    const { target, limit } = this.#words;
    return this.#startedTasks === limit && !isTargetPassed(target, this.#clock?.position);
  }

  /** Publishes the statement that is about to begin, for requests that arrive while `pause` runs. */
  #showStatement(statement: StartedStatement, pause: () => void): void {
    const { list, statement: listStatement } = this.#clock?.position ?? { list: 0, statement: 0 };
    this.#words.setPausedAt(list, listStatement);
    this.#instruments.inspector?.pausedAt(statement);
    pause();
    this.#instruments.inspector?.resumed();
  }

  /** Blocks the thread until `canResume` returns true. Between two tasks, it can meanwhile be moved back. */
  #pause(state: ControlState, canResume: () => boolean): void {
    const wasInPauseLoop = this.#isInPauseLoop;
    this.#isInPauseLoop = true;
    const isBetweenTasks = state !== 'at-statement' && !(state === 'ended' && this.#hasEndedInTask);
    const shouldUndo = (): boolean => isBetweenTasks && this.#inPlaceUndo.isRequested;
    for (;;) {
      this.#pauseLoop.pause(state, () => canResume() || shouldUndo());
      if (state !== 'ended') this.#words.state = 'running';
      if (!shouldUndo()) break;
      this.#inPlaceUndo.move();
    }
    this.#isInPauseLoop = wasInPauseLoop;
  }

  #sendHits(hits: readonly ThreadHit[]): void {
    this.#words.countHitMessage();
    this.#channel.send({ id: 0, hits });
  }

  #flushHits(): void {
    this.#instruments.scanner?.flush();
    this.#instruments.valueWatch?.flush();
  }

  threadHalted({ reason, isBetweenTurns, error }: Pick<Halt, 'reason' | 'isBetweenTurns' | 'error'>): void {
    this.#hasEndedInTask = isBetweenTurns !== true;
    this.#eventObserver?.taskEnded();
    this.#instruments.valueWatch?.check(this.#startedTasks);
    this.#flushHits();
    const taskTraces = this.#taskTracers.toTaskTraces();
    if (taskTraces.length > 0) this.#channel.send({ id: 0, taskTraces });
    if (reason === 'diverged')
      this.#channel.send({ id: 0, divergence: error?.message ?? 'the replay differs from the recording' });
    this.#words.setEnded(reason);
    // A thread that has ended before its program was loaded has nothing to inspect.
    if (this.#loader === undefined) this.#words.state = 'gone';
    this.#channel.notify();
  }

  errorUncaught(text: string, error: unknown, isRejection: boolean): void {
    this.#instruments.undoHistory?.preventUndo('an error was uncaught');
    this.#eventObserver?.errorUncaught(text, error, isRejection);
  }

  /** Keeps the thread of a stopped worker, which can still be inspected, until the coordinator requests a replacement. */
  workerReplaceable(stopped: ThreadName, replace: () => void): void {
    if (this.#words.isReleased) replace();
    else this.#replacements.set(threadKeyOf(stopped), replace);
  }

  #replaceStopped(stopped: ThreadName): boolean {
    // A paused main thread has not received the report of the stop.
    this.#deps.pumpMessages();
    const key = threadKeyOf(stopped);
    const replace = this.#replacements.get(key);
    this.#replacements.delete(key);
    replace?.();
    return replace !== undefined;
  }

  processEnding(): void {}

  /** Blocks the ended thread, in a task or after one, until it is released. Requests can still inspect it. */
  holdAtEnd(): void {
    const words = this.#words;
    if (words.state === 'ended') this.#pause('ended', () => words.isReleased);
  }

  /** Whether the process must stay alive although no work is left. */
  get keepsProcessAlive(): boolean {
    return !this.#words.isReleased;
  }

  /** Reports whether the thread is idle. A thread that rests in its event loop may move back from there. */
  #answerIdleRequest(id: number): void {
    const idleReport = this.#idleReport();
    const shouldUndo = !this.#isInPauseLoop && idleReport.isIdle && this.#inPlaceUndo.isRequested;
    this.#channel.send({ id, result: { ...idleReport, isIdle: idleReport.isIdle && !shouldUndo } });
    if (!shouldUndo) return;
    const { state } = this.#words;
    this.#pause('at-task', () => !this.#inPlaceUndo.isRequested);
    this.#words.state = state;
  }

  /** Idle report of this thread. A running thread gets the request as a macrotask, so its last task is over. */
  #idleReport(): IdleReport {
    this.#eventObserver?.taskEnded();
    const scheduler = this.#scheduler;
    const tape = this.#deps.tape();
    const hasEnded = tape.halt !== undefined;
    const isEntryNext = tape.nextEvent?.type === 'entry';
    // A restored scheduler is paused until its state is in place.
    this.#hasRestored ||= scheduler === undefined ? !this.#deps.isRestored() : !scheduler.isPaused;
    const isResting = hasEnded || (this.#hasRestored && !isEntryNext && (scheduler?.isReplayIdle ?? true));
    // No code of the last task is left to run.
    if (isResting) this.#instruments.valueWatch?.check(this.#startedTasks);
    this.#flushHits();
    const progress = tape.progress.events + this.#startedTasks;
    return { isIdle: isResting, isRestored: hasEnded || this.#hasRestored, progress };
  }
}
