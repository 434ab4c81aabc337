// The writer thread. It compresses and writes synchronously, so that neither the program's event loop nor libuv's pool
// waits for a snapshot. Traces come first: they are written every few milliseconds while there are events, also between
// two chunks of a snapshot, and a disk thread does what takes long. After a failure the writer thread removes incomplete
// files and keeps complete ones. A full or unwritable disk is tried again with the next snapshot; any other failure
// turns the writer off, and it drops all later data.

import { dirname, join } from 'node:path';
import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { ControlService } from './control/control-service.ts';
import { DiskThread, serveDisk, type DiskThreadData } from './disk-thread.ts';
import { setFileFault } from './file-operations.ts';
import { WriterState, type SnapshotChunk, type ModuleMessage } from './feed.ts';
import { systemCode } from './recording-error.ts';
import { RecordingWriter, type WrittenSnapshot } from './recording-writer.ts';
import { ABANDONED_AFTER_MS, removeLeftovers } from './recordings.ts';
import { setThreadKey } from './sealed/key.ts';
import { sealForWriting } from './sealed/recording-seal.ts';
import { DEFAULT_COMPRESSION_LEVEL } from './snapshot-format.ts';
import { RecordingTraces } from './trace/recording-traces.ts';
import { describeError, isTransientCode } from './write-failures.ts';
import type { TraceFlush } from './trace/trace-drain.ts';
import type {
  CommitRequest,
  WriterNotification,
  WriterRequest,
  WriterThreadData,
  WriterThreadStart,
} from './writer-messages.ts';

/** Delay between a new module and the write of the manifest, which batches the many modules of a start. */
const FLUSH_DELAY_MS = 250;

/** Time for which committed events are collected before they are written. A full chunk does not wait. */
export const DRAIN_INTERVAL_MS = 4;
/** Time without events after which the thread stops looking for events, and must be woken by a commit. */
const IDLE_AFTER_MS = 100;
/** Delay between a write of the manifest or a module and its sync to the disk. */
const SYNC_DELAY_MS = 1000;

/** Handles the requests of a writer. Exported for tests; the thread creates its own instance. */
export class WriterThread {
  readonly #data: WriterThreadData;
  readonly #state: WriterState;
  readonly #notify: (message: WriterNotification) => void;
  readonly #recordings = new Map<number, RecordingWriter>();
  readonly #names = new Map<number, string>();
  /** Commits that wait for chunks. */
  readonly #pendingCommits = new Set<CommitRequest>();
  readonly #receiveFromParent: () => void;
  #lastCreated = 0;
  /** System code of the last reported failure, or the reason of the last reported gap in a trace. */
  #reportedCode: string | undefined;
  #lastError: string | null = null;
  /** Control socket, while there is a recording. */
  #control: ControlService | undefined;
  #lastRecording: RecordingWriter | undefined;
  #isClosing = false;
  #flushTimer: NodeJS.Timeout | undefined;
  #touchTimer: NodeJS.Timeout | undefined;
  readonly #disk = new DiskThread();
  readonly #feedPorts = new Set<MessagePort>();
  /** Number of commits and syncs in progress. */
  #activeWork = 0;
  /** Ends of recordings that wait for commits in progress. */
  readonly #delayedEnds: Extract<WriterRequest, { type: 'end' }>[] = [];
  #hasRemovedLeftovers = false;
  #syncTimer: NodeJS.Timeout | undefined;
  #drainTimer: NodeJS.Timeout | undefined;
  /** Times of the last drain, and of the last one that found events. */
  #drainedAt = 0;
  #activeAt = 0;
  /** Whether a commit must wake the thread. */
  #isIdle = false;
  /** Number of modules received, modulo 2^32. */
  #receivedModules = 0;
  /** Number of announced traces, modulo 2^32. */
  #receivedTraces = 0;

  /** @param receiveFromParent handles all messages that the parent has sent so far */
  constructor(data: WriterThreadData, notify: (message: WriterNotification) => void, receiveFromParent: () => void) {
    this.#data = data;
    this.#receiveFromParent = receiveFromParent;
    this.#state = new WriterState(data.state);
    this.#notify = notify;
  }

  receive(message: WriterRequest): void {
    try {
      this.#handle(message);
    } catch (error) {
      this.#fail(error);
    }
    if (message.type === 'add') this.#state.addPending(-message.bytes.length);
    else if (message.type === 'module') {
      this.#state.addPending(-message.source.length);
      this.#state.addWrittenModule();
    }
    // The count is updated first: after `snapshot-settled`, none of the snapshot's bytes may be pending.
    this.#commitReady();
    // Messages are received without a pause, so the timer may be late.
    if (this.#drainTimer !== undefined && performance.now() - this.#drainedAt > DRAIN_INTERVAL_MS) this.#drain();
    this.#finishIfDone();
  }

  #finishIfDone(): void {
    if (this.#activeWork === 0) for (const message of this.#delayedEnds.splice(0)) this.receive(message);
    if (this.#isClosing && this.#pendingCommits.size === 0 && this.#activeWork === 0) this.#finish();
  }

  #handle(message: WriterRequest): void {
    if (message.type === 'feed') return this.#addFeed(message.port);
    if (message.type === 'close') {
      this.#isClosing = true;
      return;
    }
    if (message.type === 'create') return this.#create(message);
    if (message.type === 'flush') return void this.#flushTraces(message.number);
    if (message.type === 'module') this.#receivedModules++;
    else if (message.type === 'trace') this.#receivedTraces++;
    if (message.type === 'trace-committed') return this.#control?.traceCommitted();
    if (message.type === 'accept-commands') return this.#control?.acceptCommands();
    if (message.type === 'command-result')
      return this.#control?.settleCommand(message.number, message.snapshot, message.reason);
    // Messages of two ports have no common order: a feed's chunk may arrive before its recording.
    if ((message.type === 'add' || message.type === 'module') && message.recording > this.#lastCreated)
      this.#receiveFromParent();
    const recording = this.#recordings.get(message.recording);
    if (recording === undefined) {
      if (message.type === 'commit') this.#settleCommit(message, undefined);
      // The recording has ended, so nothing reads the worker's port any more.
      if (message.type === 'trace') message.port.close();
      return;
    }
    switch (message.type) {
      case 'add':
        return recording.add(message.phase, message.worker, message.name, message.bytes);
      case 'module':
        recording.addModule(message.url, message.source, message.settings);
        return this.#scheduleFlush();
      case 'update':
        recording.update(message.patch);
        // A replay needs the entry, even if the process is killed in its first statement.
        return message.patch.entry === undefined ? this.#scheduleFlush() : recording.flush();
      case 'commit':
        return void this.#pendingCommits.add(message);
      case 'abandon':
        return recording.abandon(message.phase);
      case 'trace':
        recording.traces.addWorker(message);
        // Creates the segment: a replay needs it, even if the process is killed in its first statement.
        recording.traces.drain();
        return this.#scheduleDrain();
      case 'worker-lost':
        return recording.traces.workerLost(message.worker, message.epoch, message.isOutOfMemory);
      case 'due':
        return recording.traces.setDueInterval(message.bytes);
      case 'resume':
        recording.resume();
        return this.#scheduleSync();
      case 'pause':
        recording.pause(message.reason);
        return this.#scheduleSync();
      case 'end':
        // Snapshots whose commit precedes the end are written.
        if (this.#activeWork > 0) return void this.#delayedEnds.push(message);
        recording.end(message.reason);
        return void this.#recordings.delete(message.recording);
      default:
        return message satisfies never;
    }
  }

  #create({ recording, name, manifest, counts, isLater }: Extract<WriterRequest, { type: 'create' }>): void {
    this.#lastCreated = recording;
    if (this.#state.isOff) return;
    const { recordings, snapshotRetention, level } = this.#data;
    this.#names.set(recording, name);
    const directory = join(recordings, name);
    const seal = sealForWriting(manifest);
    const recordingWriter: RecordingWriter = new RecordingWriter(
      directory,
      manifest,
      new RecordingTraces(
        directory,
        counts,
        { level: level ?? DEFAULT_COMPRESSION_LEVEL, seal },
        {
          onFailed: (error) => {
            this.#fail(error, true);
            this.#notify({ type: 'gap' });
          },
          onStopped: (worker, reason) => {
            this.#reportStoppedTrace(worker, reason);
            this.#notify({ type: 'gap' });
          },
          onDue: () => this.#notify({ type: 'due', recording }),
          onFlush: (flush) => void this.#answerFlush(flush),
          beforeEvents: () => this.#receiveNeeded(),
          onOpening: () => recordingWriter.start(),
        },
      ),
      { retention: snapshotRetention, level, seal, isLater },
    );
    this.#recordings.set(recording, recordingWriter);
    this.#lastRecording = recordingWriter;
    this.#startControl();
    recordingWriter.createDirectory();
    this.#scheduleSync();
    this.#touchTimer ??= setInterval(() => this.#forEachRecording((each) => each.touch()), ABANDONED_AFTER_MS / 6);
  }

  #startControl(): void {
    const { services } = this.#data;
    if (services.length === 0 || this.#control !== undefined) return;
    this.#control = new ControlService({
      recording: () => this.#lastRecording,
      lastError: () => this.#lastError,
      isOff: () => this.#state.isOff,
      flush: () =>
        this.#forEachRecording((each) => {
          each.traces.drain();
          each.flush();
          this.#scheduleSync();
        }),
      commitTrace: () => this.#notify({ type: 'commit-trace' }),
      runCommand: (number, command) => this.#notify({ type: 'command', number, command }),
    });
    // A failure of the socket does not prevent the recording.
    this.#control.open(services).catch(() => {});
  }

  #addFeed(port: MessagePort): void {
    this.#feedPorts.add(port);
    port.on('message', (message: SnapshotChunk | ModuleMessage) => this.receive(message));
    port.on('close', () => void this.#feedPorts.delete(port));
  }

  /** Handles announced traces and sent modules, because events that were committed later need them. */
  #receiveNeeded(): void {
    const areModulesMissing = this.#receivedModules !== this.#state.sentModules;
    if (!areModulesMissing && this.#receivedTraces === this.#state.sentTraces) return;
    this.#receiveFromParent();
    if (!areModulesMissing) return;
    for (const port of this.#feedPorts) {
      for (let received = receiveMessageOnPort(port); received !== undefined; received = receiveMessageOnPort(port))
        this.receive((received as { message: SnapshotChunk | ModuleMessage }).message);
    }
  }

  #scheduleDrain(): void {
    if (!this.#isIdle) this.#drainTimer ??= setTimeout(() => this.#drain(), DRAIN_INTERVAL_MS);
  }

  #drain(): void {
    clearTimeout(this.#drainTimer);
    this.#drainTimer = undefined;
    this.#drainedAt = performance.now();
    if (this.#drainAll()) this.#activeAt = this.#drainedAt;
    if (this.#drainedAt - this.#activeAt < IDLE_AFTER_MS) return this.#scheduleDrain();
    this.#state.setIdle();
    // Events may have been committed before the state was set.
    if (this.#drainAll()) {
      this.#state.setAwake();
      return this.#scheduleDrain();
    }
    this.#isIdle = true;
    void this.#state.waitForWake().then(() => {
      this.#isIdle = false;
      if (this.#recordings.size > 0) this.#scheduleDrain();
    });
  }

  #drainAll(): boolean {
    let hasEvents = false;
    this.#forEachRecording((each) => {
      if (each.traces.drain()) hasEvents = true;
    });
    return hasEvents;
  }

  async #flushTraces(number: number): Promise<void> {
    this.#drainAll();
    try {
      await this.#syncAll();
    } catch (error) {
      this.#fail(error, true);
    }
    this.#notify({ type: 'flushed', number });
  }

  async #answerFlush({ isSynced, answer }: TraceFlush): Promise<void> {
    if (isSynced)
      try {
        await this.#syncAll();
      } catch (error) {
        this.#fail(error, true);
      }
    answer();
  }

  #commitReady(): void {
    for (const commit of this.#pendingCommits) {
      const recording = this.#recordings.get(commit.recording);
      if (recording !== undefined && !recording.hasAllChunks(commit.phase, commit.chunks)) continue;
      this.#pendingCommits.delete(commit);
      if (recording === undefined) this.#settleCommit(commit, undefined);
      else void this.#commit(recording, commit);
    }
  }

  async #commit(recording: RecordingWriter, commit: CommitRequest): Promise<void> {
    this.#activeWork++;
    let written: WrittenSnapshot | undefined;
    try {
      this.#removeLeftovers();
      const unsynced = recording.finishSnapshot(commit.phase, commit.meta);
      if (unsynced !== undefined) {
        await this.#disk.run({ type: 'sync', paths: unsynced.paths });
        unsynced.synced();
        const published = recording.publishSnapshot(commit.phase);
        if (published !== undefined) {
          written = published.written;
          await this.#disk.run({ type: 'sync', paths: [dirname(written.file)] });
          await this.#snapshotWritten(commit.recording, published.surplusPaths);
        }
      }
    } catch (error) {
      this.#fail(error);
    }
    this.#activeWork--;
    this.#settleCommit(commit, written);
    this.#finishIfDone();
  }

  async #snapshotWritten(recording: number, surplusPaths: readonly string[]): Promise<void> {
    this.#reportedCode = undefined;
    this.#lastError = null;
    if (surplusPaths.length > 0) await this.#disk.run({ type: 'remove', paths: surplusPaths });
    // Must follow a commit: until a new recording has a snapshot, the last snapshot of an old one must stay.
    const { recordings, recordingRetention: rules, processStart } = this.#data;
    const currentName = this.#names.get(recording) ?? '';
    if (Object.keys(rules).length > 0)
      await this.#disk.run({ type: 'retain', recordings, rules, currentName, processStart, isAtStart: false });
  }

  #removeLeftovers(): void {
    if (this.#hasRemovedLeftovers) return;
    this.#hasRemovedLeftovers = true;
    const { recordings, recordingRetention, processStart } = this.#data;
    const fail = (error: unknown): void => this.#fail(error);
    this.#disk.run({ type: 'remove-leftovers', recordings, processStart }).catch(fail);
    const { bytes } = recordingRetention;
    if (bytes === undefined) return;
    // A recording with traces alone may never have a snapshot.
    const currentName = [...this.#names.values()].at(-1) ?? '';
    const rules = { bytes };
    this.#disk.run({ type: 'retain', recordings, rules, currentName, processStart, isAtStart: true }).catch(fail);
  }

  async #syncAll(): Promise<void> {
    const unsynced = [...this.#recordings.values()].map((recording) => recording.takeUnsynced());
    this.#activeWork++;
    try {
      await this.#disk.run({ type: 'sync', paths: unsynced.flatMap(({ paths }) => paths) });
      for (const { synced } of unsynced) synced();
    } finally {
      this.#activeWork--;
      this.#finishIfDone();
    }
  }

  #scheduleSync(): void {
    this.#syncTimer ??= setTimeout(() => {
      this.#syncTimer = undefined;
      this.#removeLeftovers();
      this.#syncAll().catch((error) => this.#fail(error));
    }, SYNC_DELAY_MS);
  }

  #settleCommit({ recording, phase }: CommitRequest, written: WrittenSnapshot | undefined): void {
    this.#notify({ type: 'snapshot-settled', recording, phase, written });
  }

  #scheduleFlush(): void {
    this.#flushTimer ??= setTimeout(() => {
      this.#flushTimer = undefined;
      this.#forEachRecording((recording) => recording.flush());
      this.#scheduleSync();
    }, FLUSH_DELAY_MS);
  }

  #forEachRecording(action: (recording: RecordingWriter) => void): void {
    try {
      for (const recording of this.#recordings.values()) action(recording);
    } catch (error) {
      this.#fail(error);
    }
  }

  /** @param isTrace whether the failure is a gap in a trace, after which other writes may still succeed */
  #fail(error: unknown, isTrace = false): void {
    if (this.#state.isOff) return;
    const code = systemCode(error) ?? '';
    const isTransient = isTransientCode(code);
    // While the directory is missing, other failures are consequences of the reported one.
    const isReported = isTransient && [...this.#recordings.values()].some((each) => !each.isCreated);
    if (code === 'ENOENT') this.#handleMissingFile();
    this.#state.setFailed();
    if (!isTransient) this.#state.turnOff(true);
    if (!isTransient || !isTrace) {
      for (const recording of this.#recordings.values()) recording.abandonAll();
      for (const commit of this.#pendingCommits) this.#settleCommit(commit, undefined);
      this.#pendingCommits.clear();
    }
    if (!isTransient) {
      for (const recording of this.#recordings.values()) recording.traces.end();
      this.#recordings.clear();
      this.#control?.rejectCommands('recording has failed; start the program again');
    }
    if (this.#reportedCode !== code && !(isReported && this.#reportedCode !== undefined)) {
      const recordingError = describeError(error, this.#data.recordings, isTransient, isTrace);
      this.#lastError = recordingError.message;
      this.#notify({ type: 'error', error: recordingError });
    }
    this.#reportedCode = code;
  }

  #handleMissingFile(): void {
    for (const recording of this.#recordings.values()) recording.fileMissing();
    this.#notify({ type: 'gap' });
  }

  #reportStoppedTrace(worker: number, reason: string): void {
    if (this.#reportedCode === reason) return;
    this.#reportedCode = reason;
    const message = `the trace of worker ${worker} ends here: ${reason}; it can be replayed up to here, and the next snapshot starts another trace`;
    const recordingError = {
      code: 'TT_RECORDING_WRITE',
      message,
      isTransient: true,
      file: undefined,
      cause: undefined,
    } as const;
    this.#state.setFailed();
    this.#lastError = message;
    this.#notify({ type: 'error', error: recordingError });
  }

  #finish(): void {
    clearTimeout(this.#flushTimer);
    this.#isClosing = false;
    clearInterval(this.#touchTimer);
    clearTimeout(this.#drainTimer);
    clearTimeout(this.#syncTimer);
    this.#control?.close();
    this.#forEachRecording((recording) => recording.end());
    this.#recordings.clear();
    this.#disk.close();
    this.#state.setClosed();
    // A process that exits waits no longer.
    if (!this.#hasRemovedLeftovers && this.#names.size > 0)
      removeLeftovers(this.#data.recordings, this.#data.processStart);
    this.#notify({ type: 'closed' });
  }
}

/** Runs this thread as a writer thread. Exported for simulations; a thread serves by itself. */
export function serveWriter({ data, notifications }: WriterThreadStart, port: MessagePort): void {
  const receiveFromParent = (): void => {
    for (let received = receiveMessageOnPort(port); received !== undefined; received = receiveMessageOnPort(port))
      thread.receive((received as { message: WriterRequest }).message);
  };
  setThreadKey(data.key);
  setFileFault(data.fault);
  const thread = new WriterThread(data, (message) => notifications.postMessage(message), receiveFromParent);
  port.on('message', (message: WriterRequest) => thread.receive(message));
}

if (parentPort !== null) {
  const data = workerData as WriterThreadStart | DiskThreadData | undefined;
  if (data?.type === 'writer') serveWriter(data, parentPort);
  else if (data?.type === 'disk') serveDisk(data, parentPort);
}
