// A thread of a process that runs again what a recording has. Each thread takes its own trace from the recording and says when it has stopped; the main
// thread hears of all. Nothing of the program is asked any more then.
import { writeSync } from 'node:fs';
import type { MessagePort } from 'node:worker_threads';
import { turntableVariables } from '@turntable/boundary';
import { reportUncaught } from '@turntable/loader';
import type { Loader } from '../../thread/loader.ts';
import type { StandbyThreadSource, ThreadReplay } from '../../thread/current-tape.ts';
import { openRecording, type Recording, type TraceEntry, type TraceSource } from '@turntable/recording';
import {
  turnSubjectName,
  ReplayTape,
  type ActorSystemOptions,
  type Halt,
  type WorkerPart,
  type TurnObserver,
  type Scheduler,
} from '@turntable/runtime';
import { inspect } from 'node:util';
import type { StandbyAssignment, ThreadName } from '@turntable/time-machine/replay-process';
import { afterExitListeners, type ThrownError } from '../../recorder/process-end.ts';
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
import { createTurnNotes, type CodeLocator } from '../turn-notes.ts';
import { StandbyTrace } from './standby-trace.ts';
import type { ObservedThread, CreateThreadObservation, ThreadObservation } from './thread-observer.ts';
import { CheckpointCollector } from './checkpoint-collector.ts';
import { exitWithParent } from './parent-exit.ts';
import { traceStartTime, TraceClock } from '../../trace/timeline.ts';

/** What workers are given. */
export interface ReplayData {
  readonly request: ReplayRequest;
  readonly log: SharedArrayBuffer;
  /** Of a replay process that can pause: the control words of its threads. */
  readonly controlMemory?: SharedArrayBuffer | undefined;
  /** The thread's end of its channel to the coordinator. */
  readonly coordinatorPort?: MessagePort | undefined;
  /** Of a run index that is to have states: at which cuts they are written. */
  readonly checkpointCuts?: SharedArrayBuffer | undefined;
}

/** Of a run that is stopped where it does not come to an end, and looked at by nobody. */
const NO_OBSERVER: TaskObserver = { taskStarted: () => {}, taskEnded: () => {} };

const { setImmediate: nativeSetImmediate, queueMicrotask: nativeQueueMicrotask } = globalThis;
const { nextTick: nativeNextTick } = process;
const blockedWord = new Int32Array(new SharedArrayBuffer(4));

/** Stands still for so many milliseconds, or for good. */
function blockThread(milliseconds?: number): void {
  Atomics.wait(blockedWord, 0, 0, milliseconds);
}

export class ThreadReplayer implements ThreadReplay {
  readonly recording: Recording;
  readonly tape: ReplayTape;
  #request: ReplayRequest;
  readonly #thread: ThreadName;
  readonly #log: SharedLog;
  /** On the main thread. */
  readonly #outcomeCollector: OutcomeCollector | undefined;
  /** So many states the snapshot with which it is to end has come to. */
  #endPartCount = 0;
  /** That is being handled, if they are followed. */
  #message: Divergence['message'];
  #trace: ReadableTrace | undefined;
  /** Of a process that is still to be told with which snapshot it begins. */
  #standbyTrace: StandbyTrace | undefined;
  #loader: Loader | undefined;
  /** That have begun before it was. */
  #standbyThreads: StandbyThreadSource | undefined;
  #traceEntries: readonly TraceEntry[] | undefined;
  /** If it is to end there. */
  #limitedTrace: LimitedTrace | undefined;
  /** If it is to write states at some of its cuts. */
  readonly #checkpointCuts: CheckpointCuts | undefined;
  /** If somebody watches its tasks. */
  readonly #observation: ThreadObservation | undefined;
  readonly #taskTracker: TaskTracker | undefined;
  /** Takes what threads have sent by now, once they can have. */
  #pumpMessages: () => void = () => {};
  /** What it is, between two turns; it does nothing any more. */
  #readState: (() => Uint8Array | undefined) | undefined;

  /** `shared`: the main thread's; nothing on that one. `watch`: where somebody watches. */
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
            keepsProcess: () => this.#observation?.observer.keepsProcess === true,
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
      endThread: () => {
        if (this.#outcomeCollector !== undefined) this.#outcomeCollector.finish();
        this.#observation?.observer.holdAtEnd?.();
        // Before there is a scheduler the main thread hears of it only by the end of this thread.
        if (this.#readState === undefined) reallyExit(0);
        else blockThread();
      },
    });
    this.#observeUncaught();
  }

  get request(): ReplayRequest {
    return this.#request;
  }

  /** Of a standby process: blocks until there is an assignment. */
  waitForAssignment(): StandbyAssignment {
    return this.#observation?.waitForAssignment?.() as StandbyAssignment;
  }

  /** It is known now: before anything of the program is there. @param threads that have begun meanwhile */
  completeRequest(request: ReplayRequest, threads?: StandbyThreadSource): void {
    this.#request = request;
    this.#standbyThreads = threads;
    this.#trace = this.#readableTrace(this.#thread);
    this.#standbyTrace?.assign(this.#trace);
    this.#outcomeCollector?.setExpected(this.#expectedThreads());
    if (this.#loader !== undefined) this.#observation?.observer.attachLoader?.(this.#loader);
  }

  /** The entry point has still to begin. */
  #isEntryPending: () => boolean = () => false;

  /** The program is about to be loaded. */
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
    afterExitListeners(({ exitCode, uncaught: uncaughtError, handlerFailure: failure }) => {
      // Node would say it when we are gone.
      if (failure !== undefined) writeSync(2, `${errorText(failure.error)}\n`);
      if (this.tape.nextEvent === undefined) this.#checkExitCode(exitCode, uncaughtError);
      if (this.tape.checkEnd() !== undefined) this.tape.reportDivergence('the program goes on', 'it ends the process');
      this.#outcomeCollector?.finish();
    });
  }

  /** An exception of the program's own is in no trace. */
  #checkExitCode(exitCode: number | undefined, uncaughtError: ThrownError | undefined): void {
    const { exitCode: recorded } = this.recording.manifest;
    if (exitCode === undefined || recorded === undefined || exitCode === recorded) return;
    const [reason] = uncaughtError === undefined ? [] : errorText(uncaughtError.error).split('\n');
    const actual = `it ends with exit code ${exitCode}${reason === undefined ? '' : `: ${reason}`}`;
    this.tape.reportDivergence(`the process ends with exit code ${recorded}`, actual);
  }

  /** Of the main thread: what it was to begin with, or to go on from, is not to be had. That is no difference, nothing has run yet. Ends the process. */
  failToStart(reason: unknown): never {
    sendToParent({ startFailure: reasonText(reason) });
    return reallyExit(1);
  }

  /** This thread's scheduler is there. */
  attachScheduler(scheduler: Scheduler, codeLocator: CodeLocator): void {
    this.#readState = () => scheduler.finalState();
    const { turnNotes: turns, until, taskLog, driver } = this.request;
    // Nobody looks at what would be written at them, which takes as long as hundreds of turns.
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

  /** An actor has failed, or nobody catches what it has thrown. */
  reportFailure(actor: string, reason: unknown): void {
    this.#observation?.observer.errorUncaught(errorText(reason));
    if (this.request.until?.kind === 'error' && this.tape.halt === undefined)
      this.#reportReached({ actor, error: errorText(reason) });
  }

  /** For what ends it that the trace does not say. */
  #observeUncaught(): void {
    if (this.request.until?.kind === 'error' || this.#observation !== undefined)
      process.on('uncaughtExceptionMonitor', (error) => this.reportFailure(this.#actorName, error));
  }

  /** Who is told of turns, if anything depends on them. That costs a turn a little, and changes nothing of what is written down. */
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

  /** It ends here. `isBetween`: between two turns. */
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

  /** What a thread of a worker is given, once. */
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

  /** Of workers of which the program says this. */
  resourceLimitsFor(
    requestedLimits: ActorSystemOptions['resourceLimits'],
  ): NonNullable<ActorSystemOptions['resourceLimits']> {
    return replayResourceLimits(requestedLimits, isDebugReplay(this.request));
  }

  /** What the app is told besides. */
  actorSystemOptions(): Pick<ActorSystemOptions, 'replay' | 'replayedRun' | 'env' | 'standbyThread'> {
    const epochs: number[] = [];
    const checkpointCollector = this.#checkpointCuts && new CheckpointCollector(this.#checkpointCuts);
    for (const { worker, epoch } of this.#traces) epochs[worker] = Math.max(epochs[worker] ?? 0, epoch);
    return {
      replay: (worker, epoch) => this.threadDataFor(worker, epoch),
      standbyThread: (worker, epoch) => this.#standbyThreads?.take(worker, epoch),
      env: turntableVariables(),
      replayedRun: {
        lastEpochs: Array.from(epochs, (epoch) => epoch ?? 0),
        replacements: readWorkerReplacements(this.recording),
        onPart: (part) =>
          checkpointCollector === undefined ? this.#comparePart(part) : checkpointCollector.addPart(part),
        onCut: (phase, workers) => checkpointCollector?.mainCut(phase, workers),
        setMessagePump: (pumpMessages) => (this.#pumpMessages = pumpMessages),
        onThreadStop: ({ reason, ...stopped }) => this.#report({ stopped: { ...stopped, stopReason: reason } }),
      },
    };
  }

  /** A worker's part of a snapshot is to be compared with the one that the recording has, if it has it. */
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

  /** Looked up once: there may be a file for each of thousands of snapshots. */
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

  /** The phase that this thread goes on from: one that was started later begins with its own. */
  get #startPhase(): number | undefined {
    const { from, checkpoint } = this.request;
    const { worker, epoch } = this.#thread;
    if (checkpoint !== undefined) return checkpoint.epochs[worker] === epoch ? from : undefined;
    return from !== undefined && this.#traceEntry?.phases.includes(from) === true ? from : undefined;
  }

  #observedThread(): ObservedThread {
    return { ...this.#thread, phase: this.#startPhase ?? this.#traceEntry?.phases[0] ?? 0 };
  }

  #readableTrace({ worker, epoch }: ThreadName): ReadableTrace {
    const phase = this.#startPhase;
    const isAfterCut = phase !== undefined && this.#request.checkpoint !== undefined;
    const open = (): TraceSource =>
      isAfterCut ? this.recording.traceAfterCut(worker, epoch, phase) : this.recording.trace(worker, epoch, phase);
    return new ReadableTrace(() => this.#traceEntry && open());
  }

  /** So many states the recording has, to be compared with. */
  #countExpectedStates(): number {
    const { from = 0 } = this.request;
    if (!areStatesCompared(this.request)) return 0;
    const snapshots = this.recording.snapshots().filter(({ phase }) => phase > from);
    return snapshots.reduce((sum, { workers }) => sum + workers.length, 0);
  }

  /** Those that are to stop, each in each of its lives. */
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

/** What has a code says all that its reader can use; of a defect of ours the stack is wanted. */
function reasonText(reason: unknown): string {
  return reason instanceof Error && 'code' in reason ? reason.message : errorText(reason);
}
