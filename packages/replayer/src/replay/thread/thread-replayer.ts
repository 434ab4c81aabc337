// Replays one thread of a recording. Each thread reads its own trace and reports when it has stopped; the main thread
// collects the reports.
import { writeSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { turntableVariables } from '@turntable/boundary';
import { reportUncaught } from '@turntable/loader';
import type { Loader } from '../../thread/loader.ts';
import type { ReplayedSystemOptions, StandbyThreadSource, ThreadReplay } from '../../thread/current-tape.ts';
import {
  openRecording,
  RecordingError,
  type Recording,
  type TraceEntry,
  type TraceEvent,
  type TraceSource,
} from '@turntable/recording';
import {
  turnSubjectName,
  ReplayTape,
  type ActorSystemOptions,
  type Halt,
  type WorkerPart,
  type TurnObserver,
  type Scheduler,
  restoredPhaseOf,
} from '@turntable/runtime';
import { inspect } from 'node:util';
import type { StandbyAssignment, ThreadName } from '@turntable/time-machine/replay-process';
import { beforeAbort, beforeReallyExit } from '../../recorder/direct-end.ts';
import { afterExitListeners, type ProcessEnd, type ThrownError } from '../../recorder/process-end.ts';
import { SharedLog } from './shared-log.ts';
import { OutcomeCollector, type ThreadReport } from './outcome-collector.ts';
import { threadKeyOf, type Divergence, type ReachedEnd } from '../replay-outcome.ts';
import { digestPart } from '../part-digest.ts';
import { ReadableTrace } from './readable-trace.ts';
import { areStatesCompared, isDebugReplay, type ReplayRequest } from '../replay-request.ts';
import { replayResourceLimits } from '../resource-limits.ts';
import { reallyExit, sendToParent } from './parent-messages.ts';
import { CheckpointCuts } from './checkpoint-cuts.ts';
import { readWorkerReplacements } from './worker-replacements.ts';
import { TaskTracker, type TaskObserver } from './task-tracker.ts';
import { LimitedTrace } from './limited-trace.ts';
import { OutputComparison } from './output-comparison.ts';
import { createTurnNotes, type CodeLocator } from '../turn-notes.ts';
import { StandbyTrace } from './standby-trace.ts';
import type { ObservedThread, CreateThreadObservation, ThreadObservation } from './thread-observer.ts';
import { CheckpointCollector } from './checkpoint-collector.ts';
import { exitWithParent } from './parent-exit.ts';
import { traceStartTime, TraceClock } from '../../trace/timeline.ts';
import { epochsOf, type SnapshotEpochs } from '../../restore/snapshot-epochs.ts';

/** Data passed to worker threads. */
export interface ReplayData {
  readonly request: ReplayRequest;
  readonly log: SharedArrayBuffer;
  /** Control words of all threads, in a replay process that can pause. */
  readonly controlMemory?: SharedArrayBuffer | undefined;
  /** The thread's end of its channel to the coordinator. */
  readonly coordinatorPort?: MessagePort | undefined;
  /** Decisions about checkpoints, in a run index build with checkpoints. */
  readonly checkpointCuts?: SharedArrayBuffer | undefined;
}

/** Observer for threads whose tasks are only tracked to stop the thread at the end of a cut-off trace. */
const NO_OBSERVER: TaskObserver = { taskStarted: () => {}, taskEnded: () => {} };

const { setImmediate: nativeSetImmediate, queueMicrotask: nativeQueueMicrotask } = globalThis;
const { nextTick: nativeNextTick } = process;
const blockedWord = new Int32Array(new SharedArrayBuffer(4));

/** Blocks the thread for a time, or forever. */
function blockThread(milliseconds?: number): void {
  Atomics.wait(blockedWord, 0, 0, milliseconds);
}

export class ThreadReplayer implements ThreadReplay {
  readonly recording: Recording;
  readonly tape: ReplayTape;
  #request: ReplayRequest;
  readonly #thread: ThreadName;
  readonly #log: SharedLog;
  /** Collects the reports of all threads. Present on the main thread. */
  readonly #outcomeCollector: OutcomeCollector | undefined;
  /** Number of received parts of the snapshot at which the replay ends. */
  #endPartCount = 0;
  /** The message of the current turn, if messages are tracked. */
  #message: Divergence['message'];
  #trace: ReadableTrace | undefined;
  /** Trace of this thread in a standby process. */
  #standbyTrace: StandbyTrace | undefined;
  #loader: Loader | undefined;
  /** Present in a standby process: threads that it started ahead of need. */
  #standbyThreads: StandbyThreadSource | undefined;
  #traceEntries: readonly TraceEntry[] | undefined;
  #restoredEpochs: SnapshotEpochs | undefined;
  /** Trace that ends at the limit. Present if the limit is a time, or an event of this worker. */
  #limitedTrace: LimitedTrace | undefined;
  /** Present if checkpoints are written. */
  readonly #checkpointCuts: CheckpointCuts | undefined;
  /** Present if an observer watches the tasks. */
  readonly #observation: ThreadObservation | undefined;
  readonly #taskTracker: TaskTracker | undefined;
  /** Number of the first event before which changed code printed something else. */
  #otherOutputAt: number | undefined;
  /** Receives pending messages of other threads. */
  #pumpMessages: () => void = () => {};
  /** Captures the state of this stopped thread, between two turns. Undefined without a scheduler. */
  #readState: (() => Uint8Array | undefined) | undefined;

  /** The third parameter is the data from the main thread, and is empty there. */
  constructor(
    request: ReplayRequest,
    thread: ThreadName,
    { log, controlMemory, coordinatorPort, checkpointCuts }: Partial<Omit<ReplayData, 'request'>> = {},
    createObservation?: CreateThreadObservation,
  ) {
    this.#request = request;
    this.#log = new SharedLog(log);
    this.#thread = thread;
    this.recording = openRecording(request.recording);
    const checkpointOptions = request.taskLog?.checkpoints;
    this.#checkpointCuts =
      checkpointOptions && new CheckpointCuts(checkpointOptions, this.recording.phases(), checkpointCuts);
    const isMain = thread.worker === 0;
    this.#outcomeCollector = isMain
      ? new OutcomeCollector(
          this.#log,
          this.#expectedThreads(),
          this.#countExpectedStates(),
          request.reportsProgress === true ? () => this.tape.progress.events : undefined,
          {
            pumpMessages: () => this.#pumpMessages(),
            holdAtEnd: () => this.#observation?.observer.holdAtEnd?.(),
            processEnding: () => this.#onProcessEnding(),
            keepsProcessAlive: () => this.#observation?.observer.keepsProcessAlive === true,
          },
        )
      : undefined;
    const trace = this.#openTrace(thread);
    this.#observation = createObservation?.(request, {
      thread: this.#observedThread(),
      threads: this.#traces,
      controlMemory,
      coordinatorPort,
      clock: () => this.#createClock(),
      tape: () => this.tape,
      request: () => this.#request,
      pumpMessages: () => this.#pumpMessages(),
    });
    const observer = this.#observation?.observer ?? (isDebugReplay(request) ? NO_OBSERVER : undefined);
    const hungTask = request.hungThreads?.find((each) => threadKeyOf(each) === threadKeyOf(thread))?.tasks;
    const reportPastEnd = (count: number): void =>
      this.#report({ pastEnd: { ...thread, ...this.tape.progress, tasks: count } });
    const taskTracker =
      observer && new TaskTracker(observer, { reportPastEnd, endAtCutOff: () => this.tape.endAtCutOff() }, hungTask);
    this.#taskTracker = taskTracker;
    this.tape = new ReplayTape(taskTracker?.wrapSource(trace) ?? trace, {
      setImmediate: (callback) => void nativeSetImmediate(callback),
      queueMicrotask: (callback) => nativeQueueMicrotask(callback),
      nextTick: (callback) => nativeNextTick(callback),
      reportUncaught,
      ...(taskTracker && { onEntry: (entry) => taskTracker.startEntry(entry), onStep: () => taskTracker.startJobs() }),
      onHalt: (halt) => this.#onHalt(halt),
      isEntryPending: () => this.#isEntryPending(),
      output: this.#createOutputComparison(),
      endThread: () => {
        if (this.#outcomeCollector !== undefined) this.#outcomeCollector.finish();
        this.#observation?.observer.holdAtEnd?.();
        // Without a scheduler, the main thread learns of the end only from this thread's exit.
        if (this.#readState === undefined) reallyExit(0);
        else blockThread();
      },
      onThreadExit: () => this.#observation?.observer.holdAtEnd?.(),
    });
    this.#observeUncaught();
  }

  #createOutputComparison(): OutputComparison | undefined {
    const { driver, code } = this.#request;
    if (driver !== undefined || this.recording.manifest.redacted !== undefined) return undefined;
    // A changed program is meant to print something else.
    const onDifference = (): void => void (this.#otherOutputAt = this.tape.progress.events + 1);
    return new OutputComparison(code === 'current' ? onDifference : undefined);
  }

  get request(): ReplayRequest {
    return this.#request;
  }

  /** Blocks a standby thread until it has an assignment. */
  waitForAssignment(): StandbyAssignment {
    return this.#observation?.waitForAssignment?.() as StandbyAssignment;
  }

  /** Completes a standby request, before the program is loaded. @param threads standby threads that have started */
  completeRequest(request: ReplayRequest, threads?: StandbyThreadSource): void {
    this.#request = request;
    this.#standbyThreads = threads;
    this.#trace = this.#readableTrace(this.#thread);
    this.#standbyTrace?.assign(this.#trace);
    this.#outcomeCollector?.setExpected(this.#expectedThreads());
    if (this.#loader !== undefined) this.#observation?.observer.attachLoader?.(this.#loader);
  }

  /** Whether the entry file has not been evaluated yet. */
  #isEntryPending: () => boolean = () => false;

  attachLoader(loader: Loader): void {
    this.#loader = loader;
    if (this.#standbyTrace === undefined) this.#observation?.observer.attachLoader?.(loader);
    this.#taskTracker?.setClock(loader.statementClock);
    if (this.#outcomeCollector === undefined) return;
    exitWithParent();
    if (this.request.from === undefined) {
      this.#isEntryPending = () => loader.program.entryPoint.isAwaited;
      this.#taskTracker?.startEvaluation();
    }
    afterExitListeners((end) => this.#endProcess(end));
    beforeReallyExit((exitCode) => this.#endProcess({ exitCode }));
    beforeAbort(() => {
      // The trace does not contain how the program ended.
      const { endReason } = this.recording.manifest;
      if (this.tape.isAtEnd && endReason !== 'SIGABRT')
        this.tape.reportDivergence('the program ends otherwise', 'it aborts the process');
      this.#endProcess({ exitCode: undefined });
    });
  }

  #endProcess({ exitCode, uncaught, handlerFailure }: ProcessEnd): void {
    // The process ends before Node would print the error.
    if (handlerFailure !== undefined) writeSync(2, `${errorText(handlerFailure.error)}\n`);
    if (this.tape.isAtEnd) this.#checkExitCode(exitCode, uncaught);
    if (this.tape.checkEnd() !== undefined) this.tape.reportDivergence('the program continues', 'it ends the process');
    this.#outcomeCollector?.finish();
  }

  /** Compares the exit code, because traces do not contain the program's own exceptions. */
  #checkExitCode(exitCode: number | undefined, uncaughtError: ThrownError | undefined): void {
    const { exitCode: recorded } = this.recording.manifest;
    if (exitCode === undefined || recorded === undefined || exitCode === recorded) return;
    const [reason] = uncaughtError === undefined ? [] : errorText(uncaughtError.error).split('\n');
    const actual = `it ends with exit code ${exitCode}${reason === undefined ? '' : `: ${reason}`}`;
    this.tape.reportDivergence(`the process ends with exit code ${recorded}`, actual);
  }

  /** Ends the process because its starting state is unavailable. This is no divergence: the program has not run. */
  failToStart(reason: unknown): never {
    sendToParent({ startFailure: reasonText(reason) });
    return reallyExit(1);
  }

  attachScheduler(scheduler: Scheduler, codeLocator: CodeLocator): void {
    this.#readState = () => scheduler.finalState();
    const { turnNotes: turns, until, taskLog, driver } = this.request;
    // Writing the state at a cut takes the time of hundreds of turns, and these replays do not use it.
    const isIndexedOrDriven = (taskLog ?? driver) !== undefined;
    if (isIndexedOrDriven && !areStatesCompared(this.request) && until === undefined)
      scheduler.skipSnapshots((phase) => this.#checkpointCuts?.startIfWanted(phase) === true);
    const turnNotes = turns === undefined ? undefined : createTurnNotes(turns, this.#thread, codeLocator);
    this.#observation?.observer.attachScheduler(scheduler, codeLocator);
    const turnObserver = this.#createTurnObserver() ?? this.#taskTracker?.createTurnObserver();
    if ((turnNotes ?? turnObserver) === undefined) return;
    const cut = (...cutArguments: Parameters<NonNullable<TurnObserver['cut']>>): void => {
      this.#checkpointCuts?.endCut();
      turnObserver?.cut?.(...cutArguments);
    };
    scheduler.observe({ ...turnNotes, ...turnObserver, cut });
  }

  reportFailure(actor: string, reason: unknown, isRejection = false): void {
    this.#observation?.observer.errorUncaught(errorText(reason), reason, isRejection);
    if (this.request.until?.kind === 'error' && this.tape.halt === undefined)
      this.#reportReached({ actor, error: errorText(reason) });
  }

  /** Observes uncaught exceptions, which are not in the trace. */
  #observeUncaught(): void {
    if (this.request.until?.kind === 'error' || this.#observation !== undefined)
      process.on('uncaughtExceptionMonitor', (error, origin) =>
        this.reportFailure(this.#actorName, error, origin === 'unhandledRejection'),
      );
  }

  /** Combines the turn observers. Undefined if there are none, because an observer costs time in each turn. */
  #createTurnObserver(): TurnObserver | undefined {
    const { until, followedWorker } = this.request;
    const { worker } = this.#thread;
    if (followedWorker === worker)
      return {
        turnStarted: (_, __, call, sender) => (this.#message = { method: turnSubjectName(call), from: sender?.name }),
        turnEnded: () => (this.#message = undefined),
      };
    if (until?.kind !== 'actor' && !(until?.kind === 'turn' && until.worker === worker)) return undefined;
    return {
      turnEnded: (turn, { name }, call) => {
        if (turn < until.turn || this.tape.halt !== undefined) return;
        if (until.kind === 'turn' || until.actor === name)
          this.#reportReached({ actor: name, method: turnSubjectName(call) }, true);
      },
    };
  }

  get #actorName(): string {
    return this.#thread.worker === 0 ? 'the main program' : `worker ${this.#thread.worker}`;
  }

  /** Reports that the replay has reached its limit. @param isBetween whether the thread is between two turns */
  #reportReached(details: Pick<ReachedEnd, 'actor' | 'method' | 'error'>, isBetween = false): void {
    const { worker, epoch } = this.#thread;
    const { events, turns } = this.tape.progress;
    const digest = isBetween ? this.#stateDigest() : undefined;
    const stateDigests = digest === undefined ? [] : [[worker, digest] as const];
    this.#report({ reached: { worker, epoch, events, turns, ...details, stateDigests } });
    if (this.#outcomeCollector === undefined) blockThread();
    else this.#outcomeCollector.finish();
  }

  #stateDigest(): string | undefined {
    const bytes = this.#readState?.();
    return bytes === undefined ? undefined : digestPart(bytes);
  }

  /** Data for a worker's thread. Must be called once for each thread, because the port in the data is transferred. */
  threadDataFor(
    worker: number,
    epoch: number,
  ): { readonly data: ReplayData; readonly transfer: readonly MessagePort[] } {
    const observation = this.#observation;
    const coordinatorPort = observation?.takeCoordinatorPort?.({ worker, epoch });
    const shared = {
      log: this.#log.memory,
      controlMemory: observation?.controlMemory,
      checkpointCuts: this.#checkpointCuts?.memory,
    };
    return {
      data: { request: this.#request, coordinatorPort, ...shared },
      transfer: coordinatorPort === undefined ? [] : [coordinatorPort],
    };
  }

  /** Resource limits of a worker's thread, from the limits that the program requested. */
  resourceLimitsFor(
    requestedLimits: ActorSystemOptions['resourceLimits'],
  ): NonNullable<ActorSystemOptions['resourceLimits']> {
    return replayResourceLimits(requestedLimits, isDebugReplay(this.request));
  }

  actorSystemOptions(): ReplayedSystemOptions {
    const epochs: number[] = [];
    const checkpointCollector = this.#checkpointCuts && new CheckpointCollector(this.#checkpointCuts);
    for (const { worker, epoch } of this.#traces) epochs[worker] = Math.max(epochs[worker] ?? 0, epoch);
    return {
      replay: (worker, epoch) => this.threadDataFor(worker, epoch),
      standbyThread: (worker, epoch) => this.#standbyThreads?.take(worker, epoch),
      env: turntableVariables(),
      // The trace has the phase from which a replacement restored its state.
      lastSnapshot: () => ({ recording: this.recording.directory, phase: 0 }),
      replayedRun: {
        lastEpochs: Array.from(epochs, (epoch) => epoch ?? 0),
        replacements: readWorkerReplacements(this.recording),
        onPart: (part) =>
          checkpointCollector === undefined ? this.#comparePart(part) : checkpointCollector.addPart(part),
        onCut: (phase, workers) => checkpointCollector?.mainCut(phase, workers),
        setMessagePump: (pumpMessages) => (this.#pumpMessages = pumpMessages),
        onReplaceable: (stopped, replace) => {
          const { observer } = this.#observation ?? {};
          if (observer?.workerReplaceable === undefined) replace();
          else observer.workerReplaceable(stopped, replace);
        },
        onThreadStop: ({ reason, ...stopped }) => this.#report({ stopped: { ...stopped, stopReason: reason } }),
      },
    };
  }

  /** Sends a worker's part of a snapshot for comparison, if the recording has this part. */
  #comparePart({ worker, phase, bytes }: WorkerPart): void {
    const { until } = this.request;
    const workers = this.recording.snapshots().find((each) => each.phase === phase)?.workers ?? [];
    if (bytes === undefined || !areStatesCompared(this.request) || !workers.includes(worker)) return;
    sendToParent({ part: { phase, worker } }, bytes);
    this.#report({ part: { phase, worker } });
    if (until?.kind !== 'phase' || until.phase !== phase || ++this.#endPartCount < workers.length) return;
    const { events, turns } = this.tape.progress;
    this.#report({ reached: { worker: 0, epoch: 0, events, turns, stateDigests: [] } });
    this.#outcomeCollector?.finish();
  }

  #openTrace(thread: ThreadName): TraceSource {
    const { until, driver } = this.request;
    const trace = this.#readableTrace(thread);
    this.#trace = trace;
    if (driver?.isStandby === true) return (this.#standbyTrace = new StandbyTrace(trace));
    if (until?.kind !== 'time' && !(until?.kind === 'event' && until.worker === thread.worker)) return trace;
    this.#limitedTrace = new LimitedTrace(trace, until, this.#createClock());
    return this.#limitedTrace;
  }

  /** Trace entries, cached because a lookup lists the files of thousands of segments. */
  get #traces(): readonly TraceEntry[] {
    return (this.#traceEntries ??= this.recording.traces());
  }

  get #traceEntry(): TraceEntry | undefined {
    const { worker, epoch } = this.#thread;
    return this.#traces.find((each) => each.worker === worker && each.epoch === epoch);
  }

  #createClock(): TraceClock {
    const entry = this.#traceEntry;
    return new TraceClock(entry === undefined ? 0 : traceStartTime(this.recording, entry, this.#startPhase));
  }

  /** The phase at which this thread's replay starts; undefined for a thread that was started later. */
  get #startPhase(): number | undefined {
    const { from } = this.request;
    const { worker, epoch } = this.#thread;
    return this.#startEpochs[worker] === epoch ? from : undefined;
  }

  /** Epochs of the workers that the replay restores. */
  get #startEpochs(): SnapshotEpochs {
    const { from, checkpoint } = this.request;
    if (from === undefined) return {};
    return (this.#restoredEpochs ??= checkpoint?.epochs ?? this.#readEpochs(from));
  }

  #readEpochs(phase: number): SnapshotEpochs {
    using snapshot = this.recording.readSnapshot(phase);
    return epochsOf(snapshot);
  }

  #observedThread(): ObservedThread {
    return { ...this.#thread, phase: this.#startPhase ?? this.#traceEntry?.phases[0] ?? 0 };
  }

  #readableTrace({ worker, epoch }: ThreadName): ReadableTrace {
    const phase = this.#startPhase;
    const isAfterCut = phase !== undefined && this.#request.checkpoint !== undefined;
    const open = (): TraceSource =>
      isAfterCut ? this.recording.traceAfterCut(worker, epoch, phase) : this.recording.trace(worker, epoch, phase);
    const check = epoch === 0 ? undefined : (event: TraceEvent | undefined) => this.#checkRestorable(event);
    return new ReadableTrace(() => this.#traceEntry && open(), check);
  }

  /** Throws if the recording no longer has the snapshot from which a worker was restored. */
  #checkRestorable(event: TraceEvent | undefined): void {
    const phase = restoredPhaseOf(event);
    if (phase === undefined || this.recording.phases().includes(phase)) return;
    const { worker } = this.#thread;
    throw new RecordingError(
      'TT_RECORDING_MISSING',
      `snapshot ${phase}, from which worker ${worker} was restored, is missing`,
    );
  }

  /** Number of recorded states to compare with. */
  #countExpectedStates(): number {
    const { from = 0 } = this.request;
    if (!areStatesCompared(this.request)) return 0;
    const snapshots = this.recording.snapshots().filter(({ phase }) => phase > from);
    return snapshots.reduce((sum, { workers }) => sum + workers.length, 0);
  }

  /** Keys of the threads that must stop, one for each epoch of a worker. */
  #expectedThreads(): string[] {
    const { from = 0, checkpoint } = this.request;
    const isIncluded = ({ worker, epoch, phases: [first = 0] }: TraceEntry): boolean =>
      checkpoint?.epochs[worker] === epoch || first >= from;
    const reachesPhase = ({ phases }: TraceEntry): boolean => phases.some((phase) => phase >= from);
    return this.#traces.filter(checkpoint === undefined ? reachesPhase : isIncluded).map(threadKeyOf);
  }

  #onProcessEnding(): void {
    this.#taskTracker?.endTask();
    this.#observation?.observer.processEnding();
  }

  #onHalt(halt: Halt): void {
    const { reason, events, messages, turns, divergence, isBetweenTurns: isBetween } = halt;
    const { worker, epoch } = this.#thread;
    this.#taskTracker?.endTask();
    this.#observation?.observer.threadHalted(halt);
    const isLimitReached = this.#limitedTrace?.isLimitReached === true && divergence === undefined;
    if (isLimitReached && this.request.until?.kind === 'event') return this.#reportReached({}, isBetween);
    const digest = isLimitReached && isBetween === true ? this.#stateDigest() : undefined;
    const stop = isLimitReached ? 'until' : reason;
    const message = this.#message;
    const reportedDivergence =
      divergence === undefined || message === undefined ? divergence : { ...divergence, message };
    const damage = stop === 'cut off' ? this.#trace?.damage : undefined;
    this.#report({
      stopped: {
        worker,
        epoch,
        stopReason: stop,
        events,
        messages,
        turns,
        divergence: reportedDivergence,
        stateDigest: digest,
        damage,
        otherOutputAt: this.#otherOutputAt,
      },
    });
  }

  #report(report: ThreadReport): void {
    if (this.#outcomeCollector === undefined) this.#log.append(report);
    else this.#outcomeCollector.receive(report);
  }
}

function errorText(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : inspect(error);
}

/** Text of an error: its message if it has a code, otherwise its stack, because it is an internal error. */
function reasonText(reason: unknown): string {
  return reason instanceof Error && 'code' in reason ? reason.message : errorText(reason);
}
