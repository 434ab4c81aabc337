// The writer thread. It compresses and writes synchronously, so that neither the program's event loop nor libuv's pool
// waits for a snapshot. After a failure it removes incomplete files and keeps complete ones. A full or unwritable disk
// is tried again with the next snapshot; any other failure turns the writer off, and it drops all later data.

import { join } from 'node:path';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { ControlService } from './control/control-service.ts';
import { WriterState, type SnapshotChunk, type ModuleMessage } from './feed.ts';
import { RecordingError, systemCode } from './recording-error.ts';
import { RecordingWriter, type WrittenSnapshot } from './recording-writer.ts';
import { applyRetention, ABANDONED_AFTER_MS, removeLeftovers } from './recordings.ts';
import { setThreadKey } from './sealed/key.ts';
import { DEFAULT_COMPRESSION_LEVEL } from './snapshot-format.ts';
import { RecordingTraces } from './trace/recording-traces.ts';
import type {
  CommitRequest,
  WriterNotification,
  WriterRequest,
  SerializedRecordingError,
  WriterThreadData,
} from './writer-messages.ts';

/** Delay between a new module and the write of the manifest, which batches the many modules of a start. */
const FLUSH_DELAY_MS = 250;

/** Maximum time that committed events wait before they are written. A full chunk does not wait. */
export const DRAIN_INTERVAL_MS = 50;

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
  #drainTimer: NodeJS.Timeout | undefined;

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
    else if (message.type === 'module') this.#state.addPending(-message.source.length);
    // The count is updated first: after `snapshot-settled`, none of the snapshot's bytes may be pending.
    this.#commitReady();
    if (this.#isClosing && this.#pendingCommits.size === 0) this.#finish();
  }

  #handle(message: WriterRequest): void {
    if (message.type === 'feed')
      return void message.port.on('message', (message: SnapshotChunk | ModuleMessage) => this.receive(message));
    if (message.type === 'close') {
      this.#isClosing = true;
      return;
    }
    if (message.type === 'create') return this.#create(message);
    if (message.type === 'flush') {
      this.#forEachRecording((each) => each.traces.sync());
      return this.#notify({ type: 'flushed', number: message.number });
    }
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
        return this.#scheduleFlush();
      case 'commit':
        return void this.#pendingCommits.add(message);
      case 'abandon':
        return recording.abandon(message.phase);
      case 'trace':
        recording.traces.addWorker(message);
        this.#drainTimer ??= setInterval(
          () => this.#forEachRecording((each) => each.traces.drain()),
          DRAIN_INTERVAL_MS,
        );
        return;
      case 'due':
        return recording.traces.setDueInterval(message.bytes);
      case 'resume':
        return recording.resume();
      case 'pause':
        return recording.pause(message.reason);
      case 'end':
        recording.end(message.reason);
        return void this.#recordings.delete(message.recording);
      default:
        return message satisfies never;
    }
  }

  #create({ recording, name, manifest, counts, isLater }: Extract<WriterRequest, { type: 'create' }>): void {
    this.#lastCreated = recording;
    if (this.#state.isOff) return;
    const { recordings, snapshotRetention, level, processStart } = this.#data;
    if (this.#names.size === 0) removeLeftovers(recordings, processStart);
    this.#names.set(recording, name);
    const directory = join(recordings, name);
    const recordingWriter = new RecordingWriter(
      directory,
      manifest,
      new RecordingTraces(directory, counts, level ?? DEFAULT_COMPRESSION_LEVEL, {
        onFailed: (error) => this.#fail(error, true),
        onStopped: (worker, reason) => this.#reportStoppedTrace(worker, reason),
        onDue: () => this.#notify({ type: 'due', recording }),
      }),
      { retention: snapshotRetention, level, isLater },
    );
    this.#recordings.set(recording, recordingWriter);
    this.#lastRecording = recordingWriter;
    this.#startControl();
    recordingWriter.createDirectory();
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
          each.traces.sync();
          each.flush();
        }),
      commitTrace: () => this.#notify({ type: 'commit-trace' }),
      runCommand: (number, command) => this.#notify({ type: 'command', number, command }),
    });
    // A failure of the socket does not prevent the recording.
    this.#control.open(services).catch(() => {});
  }

  #commitReady(): void {
    for (const commit of this.#pendingCommits) {
      const recording = this.#recordings.get(commit.recording);
      if (recording !== undefined && !recording.hasAllChunks(commit.phase, commit.chunks)) continue;
      this.#pendingCommits.delete(commit);
      let written: WrittenSnapshot | undefined;
      try {
        written = recording?.commit(commit.phase, commit.meta);
        if (written !== undefined) this.#snapshotWritten(commit.recording);
      } catch (error) {
        this.#fail(error);
      }
      this.#settleCommit(commit, written);
    }
  }

  #snapshotWritten(recording: number): void {
    this.#reportedCode = undefined;
    this.#lastError = null;
    this.#applyRetention(recording);
  }

  /** Must follow a commit: until a new recording has a snapshot, the last snapshot of an old one must stay. */
  #applyRetention(recording: number): void {
    const { recordings, recordingRetention, processStart } = this.#data;
    applyRetention(recordings, recordingRetention, this.#names.get(recording) ?? '', processStart);
  }

  #settleCommit({ recording, phase }: CommitRequest, written: WrittenSnapshot | undefined): void {
    this.#notify({ type: 'snapshot-settled', recording, phase, written });
  }

  #scheduleFlush(): void {
    this.#flushTimer ??= setTimeout(() => {
      this.#flushTimer = undefined;
      this.#forEachRecording((recording) => recording.flush());
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
    // The directory is missing because of an earlier failure, which was reported.
    const isOfUncreated = code === 'ENOENT' && [...this.#recordings.values()].some((each) => !each.isCreated);
    const isTransient = Object.hasOwn(TRANSIENT_REMEDIES, code);
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
    if (this.#reportedCode !== code && !(isOfUncreated && this.#reportedCode !== undefined)) {
      const recordingError = describeError(error, this.#data.recordings, isTransient, isTrace);
      this.#lastError = recordingError.message;
      this.#notify({ type: 'error', error: recordingError });
    }
    this.#reportedCode = code;
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
    clearInterval(this.#drainTimer);
    this.#control?.close();
    this.#forEachRecording((recording) => recording.end());
    this.#recordings.clear();
    this.#state.setClosed();
    this.#notify({ type: 'closed' });
  }
}

/** Remedies for failures that may pass. */
const TRANSIENT_REMEDIES: Readonly<Record<string, string>> = {
  ENOSPC: 'free space on that disk, or set lower limits with --keep',
  EDQUOT: 'raise the quota, or set lower limits with --keep',
  EFBIG: 'raise the limit on the size of files, or set lower limits with --keep',
  EACCES: 'give this user write permission there, or record elsewhere',
  EPERM: 'give this user write permission there, or record elsewhere',
  EROFS: 'record to a writable disk',
  EMFILE: 'raise the limit on open files of the process',
  ENFILE: 'raise the limit on open files of the machine',
};

const REMEDIES: Readonly<Record<string, string>> = {
  ...TRANSIENT_REMEDIES,
  ENOENT: 'do not delete a recording while it is being written',
  ENOTDIR: 'record to a directory',
  EEXIST: 'record to a directory',
};

function describeError(
  error: unknown,
  recordings: string,
  isTransient: boolean,
  isTrace: boolean,
): SerializedRecordingError {
  const { path } = error as { path?: unknown };
  const file = error instanceof RecordingError ? error.file : typeof path === 'string' ? path : undefined;
  const reason = error instanceof Error ? error.message : String(error);
  const remedy = REMEDIES[systemCode(error) ?? ''] ?? 'see the cause';
  const location = file ?? recordings;
  const transientMessage = isTrace
    ? `the trace ends here, since it can no longer be recorded to ${location}: ${reason}; it can be replayed up to here, and the next snapshot starts another trace; ${remedy}`
    : `recording to ${location} fails: ${reason}; existing snapshots stay usable, and each trigger tries again; ${remedy}`;
  return {
    code: 'TT_RECORDING_WRITE',
    message: isTransient
      ? transientMessage
      : `recording to ${location} has stopped: ${reason}; existing snapshots stay usable; ${remedy}, then start the program again`,
    isTransient,
    file,
    cause: error,
  };
}

if (parentPort !== null) {
  const port = parentPort;
  const receiveFromParent = (): void => {
    for (let received = receiveMessageOnPort(port); received !== undefined; received = receiveMessageOnPort(port))
      thread.receive((received as { message: WriterRequest }).message);
  };
  const data = workerData as WriterThreadData;
  setThreadKey(data.key);
  const thread = new WriterThread(data, (message) => port.postMessage(message), receiveFromParent);
  port.on('message', (message: WriterRequest) => thread.receive(message));
}
