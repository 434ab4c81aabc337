// Recorder of a running program: triggers snapshots and writes them into a recording through a writer thread. Disk
// errors must never stop the program; a failed snapshot causes one warning.
import {
  bytesOf,
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
import type { PauseGate } from './pause-gate.ts';
import { processCpuMs } from './process-usage.ts';
import { createRetention, maxRecordingBytes } from './retention.ts';
import { readStoppedPhases } from './recording-notes.ts';
import { SnapshotRenewal } from './snapshot-renewal.ts';
import { WorkSchedule } from './work-schedule.ts';
import type { TracedRecording } from '../thread/current-tape.ts';

export interface RecorderOptions {
  /** Directory that contains recordings. */
  readonly directory: string;
  readonly version: string;
  readonly workers: number;
  readonly entry: string | undefined;
  /** Arguments of the program, if they differ from the process's. */
  readonly argv: readonly string[] | undefined;
  readonly snapshots: SnapshotTriggers;
  readonly keep: RetentionLimits;
  readonly later: LoaderOptions['later'];
  readonly services: boolean;
  /** Snapshot from which the program was restored, if any. `epoch` is the epoch of this process. */
  readonly restoredFrom: SnapshotOrigin | undefined;
  readonly epoch: number;
  /** Notes for the manifest: how the program was started, which a restore needs. */
  readonly notes: JsonObject;
  /** The recording with traces that was created before the program started. */
  readonly tracedRecording: TracedRecording | undefined;
  readonly pauseGate: PauseGate;
  /** Whether the evaluation of the program has not started yet. */
  isEntryPending(): boolean;
}

/** A snapshot that has been written. */
export interface TakenSnapshot {
  readonly phase: number;
  /** Directory of the recording. */
  readonly recording: string;
  readonly bytes: number;
}

const { setInterval: nativeSetInterval, clearInterval: nativeClearInterval, setTimeout: nativeSetTimeout } = globalThis;
/** Interval of checks whether the program has started, and minimum interval between readings of the processor time. */
const RETRY_DELAY_MS = 1;
/** Maximum interval between two readings of the processor time. */
const MAX_POLL_INTERVAL_MS = 50;
/** Minimum number of readings of the processor time per snapshot interval. */
const POLLS_PER_INTERVAL = 5;
/** Maximum number of snapshots that wait for the disk when another one starts. */
const MAX_PENDING_COMMITS = 2;
/** End reason of a recording that was stopped by the program, a command or a signal. */
const STOPPED_REASON = 'stopped';
/** Interval of the timer that keeps the process alive. It never fires in practice. */
const KEEP_ALIVE_INTERVAL_MS = 2 ** 30;

/** Receives the time for which a written snapshot has paused the threads. */
type PauseReporter = ReturnType<WorkSchedule['startSnapshot']> | undefined;

export class Recorder {
  readonly #app: ActorSystem;
  readonly #writer: Writer;
  readonly #recording: LiveRecording;
  readonly #tracedRecording: TracedRecording | undefined;
  /** Destination of this thread's snapshot parts. */
  readonly partSink: PartSink;
  readonly #triggers: SnapshotTriggers;
  readonly #isEntryPending: () => boolean;
  readonly #commits = new WeakMap<Snapshot, Promise<TakenSnapshot | undefined>>();
  #notes: JsonObject;
  /** Whether the final snapshot of a program without workers was taken. */
  #hasTakenEndSnapshot = false;
  /** Whether the app has ended. */
  #isFinished = false;
  /** Snapshots that are being written. */
  readonly #pendingCommits = new Set<Promise<unknown>>();
  /** Snapshot that starts when the disk has taken an earlier one. Later requests share it. */
  #delayedSnapshot: Promise<Snapshot> | undefined;
  /** Number of triggered snapshots that have not been written yet. */
  #pendingAttempts = 0;
  #pendingRequests = 0;
  /** Present while the recorder is paused; new snapshots wait for this promise. */
  #resumed: PromiseWithResolvers<void> | undefined;
  /** Reason of the last warning about a failed snapshot. */
  #lastWarning: string | undefined;
  /** Whether recording is stopped until `start`. */
  #isStopped: boolean;
  readonly #canStartLater: boolean;
  #lastSnapshot: SnapshotLocation | undefined;
  readonly #pauseGate: PauseGate;
  readonly #renewal = new SnapshotRenewal({
    onStart: () => this.#pauseGate.restartIdleCheck(),
    mayPause: () => this.#pauseGate.mayPause(),
    attempt: () => this.#onInterval(),
  });
  /** Present if snapshots are triggered by computed work. */
  #workSchedule: WorkSchedule | undefined;

  constructor(app: ActorSystem, options: RecorderOptions) {
    const { workers, snapshots, notes, tracedRecording, pauseGate, later: startLater } = options;
    this.#app = app;
    this.#pauseGate = pauseGate;
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
    if (interval !== undefined) nativeSetInterval(() => this.#onPeriod(), interval).unref();
    if (workIntervalMs !== undefined) {
      const workSchedule = (this.#workSchedule = new WorkSchedule(workIntervalMs, processCpuMs));
      nativeSetInterval(
        () => this.#checkWork(workSchedule),
        Math.min(MAX_POLL_INTERVAL_MS, Math.max(RETRY_DELAY_MS, workIntervalMs / POLLS_PER_INTERVAL)),
      ).unref();
    }
    tracedRecording?.onSnapshotNeeded(() => this.renew());
    if (maxTraceBytes !== undefined && maxTraceBytes <= (maxRecordingBytes(options.keep) ?? Infinity) / 2)
      this.#recording.onTraceBytes(maxTraceBytes, () => this.#trigger());
    if (signal !== undefined) process.on(signal, () => this.#trigger());
    if (turns !== undefined || requests !== undefined) app.onSnapshotDue({ turns, requests }, () => this.#trigger());
  }

  get directory(): string {
    return this.#recording.directory;
  }

  /** Data from which a worker creates its part sink. */
  createFeedData(): ReturnType<typeof createPartFeedData> {
    return createPartFeedData(this.#writer, this.#recording);
  }

  addModule(url: string, text: string, settings: string): void {
    this.#recording.addModule(url, text, settings);
  }

  /** Data from which a worker creates its trace sink; undefined if no traces are recorded. */
  createTrace(
    worker: number,
    epoch: number,
    phase: number,
    earlierLosses: number,
  ): { readonly data: TraceHandle; readonly transfer: MessagePort[] } | undefined {
    if (this.#tracedRecording === undefined) return undefined;
    const data = this.#recording.trace(worker, epoch, phase, earlierLosses);
    return { data, transfer: [data.port] };
  }

  /** Completes the trace of a worker whose thread has ended unexpectedly. */
  endLostTrace(worker: number, epoch: number, isOutOfMemory: boolean): void {
    if (this.#tracedRecording !== undefined) this.#recording.workerLost(worker, epoch, isOutOfMemory);
  }

  /** Must be called if the snapshot of this phase will not be completed. */
  abandon(phase: number): void {
    this.#recording.abandon(phase);
  }

  get lastSnapshot(): SnapshotLocation | undefined {
    return this.#lastSnapshot;
  }

  /** Whether a requested snapshot has not been taken yet. */
  get isSnapshotRequested(): boolean {
    return this.#pendingRequests > 0;
  }

  /** Takes a snapshot. Resolves when the snapshot is written, or with undefined after a warning if writing failed. */
  async takeSnapshot(): Promise<TakenSnapshot | undefined> {
    this.#pendingRequests++;
    try {
      return await this.#takeSnapshot();
    } finally {
      this.#pendingRequests--;
    }
  }

  async #takeSnapshot(): Promise<TakenSnapshot | undefined> {
    // Unless the recorder is paused or the disk behind, nothing may be awaited here, because the phase must begin synchronously.
    if (this.#resumed !== undefined) await this.#resumed.promise;
    const reportPause = this.#workSchedule?.startSnapshot();
    const snapshot = await this.#capture();
    // The app combines requests while many snapshots are pending, so callers can get the same snapshot.
    let commit = this.#commits.get(snapshot);
    if (commit === undefined) this.#commits.set(snapshot, (commit = this.#commit(snapshot, reportPause)));
    return commit;
  }

  /** Takes a snapshot once fewer than `MAX_PENDING_COMMITS` wait for the disk, so that their bytes do not pile up. */
  #capture(): Promise<Snapshot> {
    if (this.#pendingCommits.size < MAX_PENDING_COMMITS) return this.#app.snapshot();
    return (this.#delayedSnapshot ??= Promise.race(this.#pendingCommits).then(() => {
      this.#delayedSnapshot = undefined;
      return this.#app.snapshot();
    }));
  }

  /** Commits a snapshot. Workers send their parts to the writer, which waits for the total number of chunks. */
  async #commit({ phase, parts }: Snapshot, reportPause: PauseReporter): Promise<TakenSnapshot | undefined> {
    if (this.#resumed !== undefined) await this.#resumed.promise;
    this.#tracedRecording?.recordReached();
    const epochs = Object.fromEntries(parts.map(({ worker, epoch }) => [worker, epoch]));
    const pauses = Object.fromEntries(parts.map(({ worker, pauses }) => [worker, { ...pauses }]));
    const chunks = parts.reduce((sum, part) => sum + part.chunks, 0);
    const pendingCommit = this.#recording.commitSnapshot(phase, { epochs, pauses }, chunks);
    this.#pendingCommits.add(pendingCommit);
    const snapshotEntry = await pendingCommit;
    this.#pendingCommits.delete(pendingCommit);
    if (snapshotEntry === undefined) return undefined;
    this.#renewal.snapshotWritten(phase);
    this.#pauseGate.noteSnapshot({
      longestMs: Math.max(...parts.map(({ pauses }) => pauses.longest)),
      totalMs: Math.max(...parts.map(({ pauses }) => pauses.total)),
      bytes: parts.reduce((sum, { size }) => sum + size, 0),
    });
    reportPause?.(parts.reduce((sum, { pauses }) => sum + pauses.total, 0));
    // Of two snapshots in progress, the earlier one may finish last.
    const recording = this.directory;
    if (this.#lastSnapshot === undefined || this.#lastSnapshot.phase < phase) this.#lastSnapshot = { recording, phase };
    return { phase, recording, bytes: snapshotEntry.bytes };
  }

  /** Starts recording if it is stopped, with a snapshot at which a replay can start. Resolves like `takeSnapshot`. */
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

  /**
   * Takes a last snapshot and stops recording until `start`. Resolves with the snapshot, or with undefined if recording
   * is already stopped. Rejects unless the program was started with the setting `trace: 'later'`.
   */
  async stop(): Promise<TakenSnapshot | undefined> {
    if (!this.#canStartLater)
      throw new RuntimeError(
        'TT_OPTIONS',
        "this program is recorded from start to end; to start and stop recording while it runs, start it with the setting trace: 'later'",
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
    if (this.#resumed === undefined) await this.#attemptWith(() => (this.#isStopped ? this.start() : this.stop()));
  }

  /** Runs a command of the control service. Like a trigger, it waits for the program's entry. */
  async #runCommand(action: () => Promise<TakenSnapshot | undefined>): Promise<TakenSnapshot | undefined> {
    while (this.#isEntryPending())
      await new Promise<void>((resolve) => nativeSetTimeout(resolve, RETRY_DELAY_MS).unref());
    if (this.#isFinished)
      throw new RuntimeError('TT_NO_SNAPSHOT', 'no snapshot was taken, because the program is ending');
    return action();
  }

  /** Delays new snapshots until `resume`. Resolves when pending ones are written, or after `deadline` milliseconds. */
  async pause(deadline: number): Promise<void> {
    this.#resumed ??= Promise.withResolvers();
    if (this.#pendingCommits.size > 0) await waitAtMost(deadline, Promise.allSettled(this.#pendingCommits));
  }

  resume(): void {
    this.#resumed?.resolve();
    this.#resumed = undefined;
  }

  /** Ends the recording before a restore in place. Resolves when it is written, or after `deadline` milliseconds. */
  async endForRestore(deadline: number): Promise<void> {
    if (this.#tracedRecording === undefined) this.#recording.end('restored');
    else this.#tracedRecording.end('restored');
    await this.#writer.close({ deadline });
  }

  /** Updates the recorded app options. Must be called when the program sets options after the app was created. */
  recordConfiguration(workers: number, start: JsonObject): void {
    this.#notes = { ...this.#notes, start };
    this.#recording.update({ workers, notes: this.#notes });
  }

  /** Starts the final snapshot of a program without workers, at its end. Returns whether it was started. */
  startEndSnapshot(areThreadsStarted: boolean): boolean {
    // With workers, the app takes the final snapshot when it ends.
    if (areThreadsStarted || this.#triggers.end !== true || this.#hasTakenEndSnapshot || this.#isStopped) return false;
    this.#hasTakenEndSnapshot = true;
    const keepAlive = nativeSetInterval(() => {}, KEEP_ALIVE_INTERVAL_MS);
    void this.#attempt().finally(() => nativeClearInterval(keepAlive));
    return true;
  }

  async end(): Promise<void> {
    if (this.#triggers.end === true && !this.#isStopped) await this.#attempt();
    this.#isFinished = true;
    this.#renewal.end();
    // The main thread may keep running after the app; its trace ends with the process.
    if (this.#tracedRecording !== undefined) return;
    this.#recording.end();
    await this.#writer.close();
  }

  /** Triggers a snapshot unless one is pending: back-to-back snapshots would keep the process alive forever. */
  #onInterval(): void {
    if (this.#pendingAttempts === 0) this.#trigger();
  }

  /** Triggers a snapshot at an interval, unless such snapshots would take too much of the time. */
  #onPeriod(): void {
    if (this.#pauseGate.mayTakeAtInterval()) this.#onInterval();
  }

  #checkWork(workSchedule: WorkSchedule): void {
    if (workSchedule.takeDue()) this.#onPeriod();
    else if (workSchedule.isCutPointDue() && this.#makeCutPoint()) workSchedule.noteCutPoint();
  }

  /** Makes a cut point if possible, and returns whether it did. Only recordings with traces use cut points. */
  #makeCutPoint(): boolean {
    const isBlocked = this.#resumed !== undefined || this.#isStopped || this.#isFinished || this.#isEntryPending();
    return this.#tracedRecording !== undefined && !isBlocked && this.#app.startCutPoint();
  }

  #trigger(): void {
    if (this.#resumed !== undefined || this.#isStopped) return;
    // In a trace, a snapshot before the entry would look like one after the program's first lines.
    if (this.#isEntryPending()) nativeSetTimeout(() => this.#trigger(), RETRY_DELAY_MS).unref();
    else void this.#attempt();
  }

  /** Takes a snapshot as soon as it may pause the program, so that old traces can be deleted, or new ones begin. */
  renew(): void {
    if (!this.#isFinished) this.#renewal.start(this.#app.phase);
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
      // Snapshots in progress are abandoned at the end of the program.
      if (this.#isFinished) return;
      const { message } = error as Error;
      // Repeated warnings with the same reason are suppressed.
      const reason = message.replaceAll(/\d+/g, '');
      if (this.#lastWarning === reason) return;
      this.#lastWarning = reason;
      process.emitWarning(`${message}; the program continues without this snapshot`, { code: 'TT_NO_SNAPSHOT' });
    } finally {
      this.#pendingAttempts--;
    }
  }
}

function createManifest({ version, workers, entry, argv, restoredFrom, epoch, notes }: RecorderOptions): Manifest {
  return describeProcess({ turntable: version, workers, entry: entry ?? null, argv, restoredFrom, epoch, notes });
}
