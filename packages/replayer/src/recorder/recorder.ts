// What keeps a running program's snapshots: a recording in the directory of recordings, written by a thread of its own, and what it is that
// triggers them. Whatever happens to the disk, the program goes on: of snapshots that cannot be had there is one warning.
import {
  bytesOf,
  nativeFunctionOf,
  millisecondsOf,
  type RetentionLimits,
  type LoaderOptions,
  type SnapshotTriggers,
} from '@turntable/loader';
import {
  describeProcess,
  serviceDirectories,
  startWriter,
  type JsonObject,
  type LiveRecording,
  type Manifest,
  type SnapshotOrigin,
  type TraceHandle,
  type Writer,
} from '@turntable/recording';
import type { MessagePort } from 'node:worker_threads';
import {
  RuntimeError,
  type ActorSystem,
  type PartSink,
  type Snapshot,
  type SnapshotLocation,
} from '@turntable/runtime';
import { waitAtMost } from '../restore/process-image.ts';
import { createPartFeedData, PartFeed } from './part-feed.ts';
import { createRetention } from './retention.ts';
import { readStoppedPhases } from './recording-notes.ts';
import { WorkSchedule } from './work-schedule.ts';
import type { TracedRecording } from '../thread/current-tape.ts';

export interface RecorderOptions {
  /** Where recordings are. */
  readonly directory: string;
  readonly version: string;
  readonly workers: number;
  readonly entry: string | undefined;
  /** Of the program, if the process was started with others. */
  readonly argv: readonly string[] | undefined;
  readonly snapshots: SnapshotTriggers;
  readonly keep: RetentionLimits;
  readonly later: LoaderOptions['later'];
  readonly services: boolean;
  /** What the program goes on from, and how often the process has. */
  readonly restoredFrom: SnapshotOrigin | undefined;
  readonly epoch: number;
  /** How the program was started, for whoever goes on. */
  readonly notes: JsonObject;
  /** The recording that was begun before the program, if it has traces. */
  readonly tracedRecording: TracedRecording | undefined;
  /** Whether the evaluation of the program is still to begin. */
  isEntryPending(): boolean;
}

/** A snapshot that is on the disk. */
export interface TakenSnapshot {
  readonly phase: number;
  /** The directory of the recording. */
  readonly recording: string;
  readonly bytes: number;
}

const { setInterval: nativeSetInterval, clearInterval: nativeClearInterval, setTimeout: nativeSetTimeout } = globalThis;
/** The host's own answer: the program's may be a recorded one. */
const cpuUsage = (nativeFunctionOf(process.cpuUsage) ?? process.cpuUsage) as typeof process.cpuUsage;
/** Milliseconds. */
const RETRY_DELAY_MS = 1;
/** Between two looks at what was computed. */
const MAX_POLL_INTERVAL_MS = 50;
/** As often at least while so much is computed that a snapshot is due. */
const POLLS_PER_INTERVAL = 5;
/** Why a recording has ended that its program, or a signal, has ended. */
const STOPPED_REASON = 'stopped';
/** Milliseconds: longer than anybody waits. */
const KEEP_ALIVE_INTERVAL_MS = 2 ** 30;

/** Who is told for how long a snapshot that is on the disk has kept the threads. */
type PauseReporter = ReturnType<WorkSchedule['startSnapshot']> | undefined;

export class Recorder {
  readonly #app: ActorSystem;
  readonly #writer: Writer;
  readonly #recording: LiveRecording;
  readonly #tracedRecording: TracedRecording | undefined;
  /** Where this thread's parts go. */
  readonly partSink: PartSink;
  readonly #triggers: SnapshotTriggers;
  readonly #isEntryPending: () => boolean;
  readonly #commits = new WeakMap<Snapshot, Promise<TakenSnapshot | undefined>>();
  #notes: JsonObject;
  /** The last one, of a program on one thread, has been had. */
  #hasTakenEndSnapshot = false;
  /** All is done, and the threads are about to end. */
  #isFinished = false;
  /** Snapshots on their way to the disk. */
  readonly #pendingCommits = new Set<Promise<unknown>>();
  /** Of snapshots that are not there yet: those that are due, those that were asked for. */
  #pendingAttempts = 0;
  #pendingRequests = 0;
  /** Until it is settled no other one begins its way. */
  #pauseGate: PromiseWithResolvers<void> | undefined;
  /** What was told of why there is none. */
  #lastWarning: string | undefined;
  /** Whether it waits to be told to begin. */
  #isStopped: boolean;
  readonly #canStartLater: boolean;
  #lastSnapshot: SnapshotLocation | undefined;
  /** If one is due by what was computed. */
  #workSchedule: WorkSchedule | undefined;

  constructor(app: ActorSystem, options: RecorderOptions) {
    const { workers, snapshots, notes, tracedRecording, later: startLater } = options;
    this.#app = app;
    this.#triggers = snapshots;
    this.#isEntryPending = options.isEntryPending;
    this.#tracedRecording = tracedRecording;
    this.#notes = notes;
    this.#canStartLater = this.#isStopped = startLater !== undefined && tracedRecording !== undefined;
    if (startLater?.signal !== undefined) process.on(startLater.signal, () => void this.#toggle());
    if (tracedRecording === undefined) {
      this.#writer = startWriter({
        recordings: options.directory,
        retention: createRetention(options.keep),
        services: options.services ? serviceDirectories(process.env) : [],
      });
      this.#recording = this.#writer.create(createManifest(options));
      process.once('exit', () => this.#writer.closeSync());
    } else {
      this.#writer = tracedRecording.writer;
      this.#recording = tracedRecording.recording;
      this.#recording.update({ workers, notes });
    }
    this.#writer.acceptCommands({
      start: () => this.#runCommand(() => this.start()),
      stop: () => this.#runCommand(() => this.stop()),
      snapshot: () => this.#runCommand(() => this.#takeSnapshot()),
    });
    this.partSink = new PartFeed(this.createFeedData().data, 0);
    const { every, work, turns, requests, trace: traceSize, signal } = snapshots;
    const maxTraceBytes = bytesOf(traceSize);
    const [interval, workIntervalMs] = [millisecondsOf(every), millisecondsOf(work)];
    if (interval !== undefined) nativeSetInterval(() => this.#onInterval(), interval).unref();
    if (workIntervalMs !== undefined) {
      const workSchedule = (this.#workSchedule = new WorkSchedule(workIntervalMs, processCpuMs));
      nativeSetInterval(
        () => this.#checkWork(workSchedule),
        Math.min(MAX_POLL_INTERVAL_MS, Math.max(RETRY_DELAY_MS, workIntervalMs / POLLS_PER_INTERVAL)),
      ).unref();
    }
    if (maxTraceBytes !== undefined) this.#recording.onTraceBytes(maxTraceBytes, () => this.#trigger());
    if (signal !== undefined) process.on(signal, () => this.#trigger());
    if (turns !== undefined || requests !== undefined) app.onSnapshotDue({ turns, requests }, () => this.#trigger());
  }

  get directory(): string {
    return this.#recording.directory;
  }

  /** What a worker makes its sink of. */
  createFeedData(): ReturnType<typeof createPartFeedData> {
    return createPartFeedData(this.#writer, this.#recording);
  }

  addModule(url: string, text: string, settings: string): void {
    this.#recording.addModule(url, text, settings);
  }

  /** What a worker makes the sink of its trace of, if there are traces. */
  createTrace(
    worker: number,
    epoch: number,
    phase: number,
  ): { readonly data: TraceHandle; readonly transfer: MessagePort[] } | undefined {
    if (this.#tracedRecording === undefined) return undefined;
    const data = this.#recording.trace(worker, epoch, phase);
    return { data, transfer: [data.port] };
  }

  /** There will be no snapshot of that phase. */
  abandon(phase: number): void {
    this.#recording.abandon(phase);
  }

  /** The last one that is on the disk. */
  get lastSnapshot(): SnapshotLocation | undefined {
    return this.#lastSnapshot;
  }

  /** Whether a snapshot that somebody has asked for is not there yet. */
  get isSnapshotRequested(): boolean {
    return this.#pendingRequests > 0;
  }

  /** Takes a snapshot and answers when it is on the disk; nothing if the disk does not take it, which has been told. */
  async takeSnapshot(): Promise<TakenSnapshot | undefined> {
    this.#pendingRequests++;
    try {
      return await this.#takeSnapshot();
    } finally {
      this.#pendingRequests--;
    }
  }

  async #takeSnapshot(): Promise<TakenSnapshot | undefined> {
    // Without a pause the phase begins at once: awaiting nothing would let other code run first.
    if (this.#pauseGate !== undefined) await this.#pauseGate.promise;
    const reportPause = this.#workSchedule?.startSnapshot();
    const snapshot = await this.#app.snapshot();
    // Callers that ask while many snapshots are being written share one.
    let commit = this.#commits.get(snapshot);
    if (commit === undefined) this.#commits.set(snapshot, (commit = this.#commit(snapshot, reportPause)));
    return commit;
  }

  /** Workers have sent the bytes of their parts to the writer by then, or are sending them: it waits for as many chunks as they have told. */
  async #commit({ phase, parts }: Snapshot, reportPause: PauseReporter): Promise<TakenSnapshot | undefined> {
    if (this.#pauseGate !== undefined) await this.#pauseGate.promise;
    this.#tracedRecording?.recordReached();
    const epochs = Object.fromEntries(parts.map(({ worker, epoch }) => [worker, epoch]));
    const pauses = Object.fromEntries(parts.map(({ worker, pauses: each }) => [worker, { ...each }]));
    const chunks = parts.reduce((sum, part) => sum + part.chunks, 0);
    const pendingCommit = this.#recording.commitSnapshot(phase, { epochs, pauses }, chunks);
    this.#pendingCommits.add(pendingCommit);
    const snapshotEntry = await pendingCommit;
    this.#pendingCommits.delete(pendingCommit);
    if (snapshotEntry === undefined) return undefined;
    reportPause?.(parts.reduce((sum, { pauses: each }) => sum + each.total, 0));
    // Of two that are written at once the earlier one may be the last to be there.
    const recording = this.directory;
    if (this.#lastSnapshot === undefined || this.#lastSnapshot.phase < phase) this.#lastSnapshot = { recording, phase };
    return { phase, recording, bytes: snapshotEntry.bytes };
  }

  /** From now on it is recorded, if it was not before: answers as `take`, with the snapshot that a replay can begin with. */
  async start(): Promise<TakenSnapshot | undefined> {
    if (!this.#isStopped) return this.takeSnapshot();
    this.#isStopped = false;
    this.#recording.start(this.#app.phase + 1);
    try {
      return await this.takeSnapshot();
    } catch (error) {
      this.#stop('without a snapshot');
      throw error;
    }
  }

  /** It is recorded no further than the snapshot that it answers, until it begins again. */
  async stop(): Promise<TakenSnapshot | undefined> {
    if (!this.#canStartLater)
      throw new RuntimeError(
        'TT_OPTIONS',
        "this program is recorded from its start to its end; to begin and to end at other times, start it with the setting trace: 'later'",
      );
    if (this.#isStopped) return undefined;
    try {
      return await this.takeSnapshot();
    } finally {
      this.#stop(STOPPED_REASON);
    }
  }

  #stop(reason: string): void {
    this.#isStopped = true;
    this.#notes = { ...this.#notes, stopped: [...readStoppedPhases(this.#notes), this.#app.phase] };
    this.#recording.update({ notes: this.#notes });
    this.#recording.pause(reason);
  }

  async #toggle(): Promise<void> {
    if (this.#pauseGate === undefined) await this.#attemptWith(() => (this.#isStopped ? this.start() : this.stop()));
  }

  /** Asked for from outside, where it counts as a trigger does. */
  async #runCommand(action: () => Promise<TakenSnapshot | undefined>): Promise<TakenSnapshot | undefined> {
    while (this.#isEntryPending())
      await new Promise<void>((resolve) => nativeSetTimeout(resolve, RETRY_DELAY_MS).unref());
    if (this.#isFinished) throw new RuntimeError('TT_NO_SNAPSHOT', 'the program is about to end');
    return action();
  }

  /** What is on its way to the disk gets there, or so many milliseconds pass; and nothing else, until `resume`. */
  async pause(deadline: number): Promise<void> {
    this.#pauseGate ??= Promise.withResolvers();
    if (this.#pendingCommits.size > 0) await waitAtMost(deadline, Promise.allSettled(this.#pendingCommits));
  }

  resume(): void {
    this.#pauseGate?.resolve();
    this.#pauseGate = undefined;
  }

  /** The program goes on elsewhere; everything is on the disk, or so many milliseconds have passed. */
  async endForRestore(deadline: number): Promise<void> {
    if (this.#tracedRecording === undefined) this.#recording.end('restored');
    else this.#tracedRecording.end('restored');
    await this.#writer.close({ deadline });
  }

  /** The program has said, after it began, how its app is to be. */
  recordConfiguration(workers: number, start: JsonObject): void {
    this.#notes = { ...this.#notes, start };
    this.#recording.update({ workers, notes: this.#notes });
  }

  /** Nothing is left to do on the only thread there is: whether the last snapshot is still to be had, which is then on its way. */
  startEndSnapshot(areThreadsStarted: boolean): boolean {
    // With threads, the app ends when nothing is left to do on any of them.
    if (areThreadsStarted || this.#triggers.end !== true || this.#hasTakenEndSnapshot || this.#isStopped) return false;
    this.#hasTakenEndSnapshot = true;
    const keepAlive = nativeSetInterval(() => {}, KEEP_ALIVE_INTERVAL_MS);
    void this.#attempt().finally(() => nativeClearInterval(keepAlive));
    return true;
  }

  /** All is done. */
  async end(): Promise<void> {
    if (this.#triggers.end === true && !this.#isStopped) await this.#attempt();
    this.#isFinished = true;
    // The program may go on, and its trace does.
    if (this.#tracedRecording !== undefined) return;
    this.#recording.end();
    await this.#writer.close();
  }

  /** Where a snapshot takes longer it is not followed by the next one at once: the process would have something to do for ever, and not end. */
  #onInterval(): void {
    if (this.#pendingAttempts === 0) this.#trigger();
  }

  #checkWork(workSchedule: WorkSchedule): void {
    if (workSchedule.takeDue()) this.#onInterval();
    else if (workSchedule.isCutPointDue() && this.#makeCutPoint()) workSchedule.noteCutPoint();
  }

  /** Whether it does. Only traces have any use for it. */
  #makeCutPoint(): boolean {
    const isBlocked = this.#pauseGate !== undefined || this.#isStopped || this.#isFinished || this.#isEntryPending();
    return this.#tracedRecording !== undefined && !isBlocked && this.#app.startCutPoint();
  }

  #trigger(): void {
    if (this.#pauseGate !== undefined || this.#isStopped) return;
    // Nothing in a trace could tell it from one that was taken behind the first lines of the program.
    if (this.#isEntryPending()) nativeSetTimeout(() => this.#trigger(), RETRY_DELAY_MS).unref();
    else void this.#attempt();
  }

  #attempt(): Promise<void> {
    return this.#attemptWith(() => this.#takeSnapshot());
  }

  async #attemptWith(action: () => Promise<unknown>): Promise<void> {
    this.#pendingAttempts++;
    try {
      await action();
      this.#lastWarning = undefined;
    } catch (error) {
      // Those that are still under way end with the program.
      if (this.#isFinished) return;
      const { message } = error as Error;
      // The same reason again is no news.
      const reason = message.replaceAll(/\d+/g, '');
      if (this.#lastWarning === reason) return;
      this.#lastWarning = reason;
      process.emitWarning(`${message}; the program goes on without`, { code: 'TT_NO_SNAPSHOT' });
    } finally {
      this.#pendingAttempts--;
    }
  }
}

/** Milliseconds of the processor's that this process has taken, all its threads together. */
function processCpuMs(): number {
  const { user, system } = cpuUsage.call(process);
  return (user + system) / 1000;
}

function createManifest({ version, workers, entry, argv, restoredFrom, epoch, notes }: RecorderOptions): Manifest {
  return describeProcess({ turntable: version, workers, entry: entry ?? null, argv, restoredFrom, epoch, notes });
}
