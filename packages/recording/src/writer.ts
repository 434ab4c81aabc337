// Proxy of the writer thread. It never waits for the disk and never throws for a failed write, but reports each failure
// once. If a failure may pass, the next snapshot tries again; otherwise the writer is off and drops all data. It does
// not keep the process alive, except during a commit, a flush and `close`.

import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel, receiveMessageOnPort, Worker, type MessagePort } from 'node:worker_threads';
import type { RequestedSnapshot, ServiceCommand } from './control/control-protocol.ts';
import { MODULES_TIMEOUT_MS, sendChunk, sendModule, WriterState, type FeedHandle } from './feed.ts';
import { currentFileFault } from './file-operations.ts';
import type { JsonObject } from './json.ts';
import { recordingName } from './file-names.ts';
import type { Manifest, ManifestPatch } from './manifest.ts';
import { misuseError, RecordingError } from './recording-error.ts';
import { tryWriteFirstManifest, type WrittenSnapshot } from './recording-writer.ts';
import { checkRetention, type Retention } from './retention.ts';
import { currentKey } from './sealed/key.ts';
import { sealForWriting } from './sealed/recording-seal.ts';
import { TraceCounts } from './trace/trace-chunk.ts';
import { TraceSpan } from './trace/trace-span.ts';
import { ChunkPool, type TraceHandle } from './trace/chunk-pool.ts';
import type {
  CommitRequest,
  WriterNotification,
  WriterRequest,
  SerializedRecordingError,
  WriterThreadData,
  WriterThreadStart,
} from './writer-messages.ts';

// The native functions, read early because a program or a test may replace them.
const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;

export interface WriterOptions {
  /** Directory of recordings; created if missing. */
  readonly recordings: string;
  readonly retention?: {
    /** Limits for the snapshots of each recording. Default: none. */
    readonly snapshots?: Retention;
    /** Limits for the directory. Recordings are deleted whole, and never while they are written. */
    readonly recordings?: Retention;
  };
  /** Trace bytes that may wait for the disk (default 256 MiB). A trace that finds no room has a gap. */
  readonly maxPendingTraceBytes?: number;
  /** Maximum number of bytes of all traces since the last snapshot (default: none). Traces that reach it have a gap. */
  readonly maxTraceBytes?: number | undefined;
  /** Compression level of zstd (default 1). */
  readonly level?: number;
  /** Directories for the control socket, best first (`serviceDirectories`). Default: no socket. */
  readonly services?: readonly string[];
  /** Called for a failed write, once until a snapshot is written again. Default: a process warning. */
  readonly onError?: (error: RecordingError) => void;
}

export interface LiveRecording {
  readonly directory: string;
  /** Number of the recording, for `Feed.add`. */
  readonly number: number;
  /** Adds the text of a module and its compilation settings. Adding the same again has no effect. */
  addModule(url: string, source: string, settings?: string): void;
  update(patch: ManifestPatch): void;
  /**
   * Adds to part `name` of a worker's snapshot, like `Feed.add`. Transfers the bytes. Returns whether they were sent.
   */
  add(phase: number, worker: number, name: string, bytes: Uint8Array): boolean;
  /**
   * Commits a snapshot after all chunks have arrived, and keeps the process alive until then. Phases must ascend.
   * @param chunks number of chunks that this thread and the feeds added
   * @returns undefined if the snapshot was abandoned or could not be written; never rejects
   */
  commitSnapshot(phase: number, metadata: JsonObject, chunks: number): Promise<WrittenSnapshot | undefined>;
  /** Abandons a snapshot: added chunks are deleted, and later ones dropped. */
  abandon(phase: number): void;
  /**
   * Creates the handle for a worker's trace in one epoch. The worker thread passes it to `createTraceSink`.
   * @param phase phase in which the worker starts
   * @param earlierLosses number of workers that were lost before
   */
  trace(worker: number, epoch: number, phase?: number, earlierLosses?: number): TraceHandle;
  /** Completes the trace of a worker whose thread has ended without ending it. */
  workerLost(worker: number, epoch: number, isOutOfMemory: boolean): void;
  /** Trace bytes on the disk that a replay from the last snapshot, or from the start, would read. */
  readonly traceBytes: number;
  /** Calls back when `traceBytes` reaches `bytes`, and after each further `bytes` without a snapshot. */
  onTraceBytes(bytes: number, callback: () => void): void;
  /** Starts a later recording: each worker's trace is kept from its cut of this phase on. */
  start(phase: number): void;
  /** Pauses the recording until `start` is called for a later phase. @param reason goes into the manifest */
  pause(reason: string): void;
  /** Ends traces and abandons open snapshots. @param reason set if the program has not ended */
  end(reason?: string): void;
}

export type ServiceCommandHandlers = Readonly<Record<ServiceCommand, () => Promise<RequestedSnapshot | undefined>>>;

export const DEFAULT_MAX_PENDING_TRACE_BYTES = 256 << 20;
/** Default deadline for the rest of a recording. */
const CLOSE_TIMEOUT_MS = 10_000;
const STANDARD_ERROR = 2;

export function startWriter(options: WriterOptions): Writer {
  return new Writer(options);
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #state = new WriterState();
  readonly #worker: Worker;
  /** Receives the notifications of the writer thread. */
  readonly #notifications: MessagePort;
  /** Resolvers of pending commits, by recording and phase. */
  readonly #pendingCommits = new Map<string, (written: WrittenSnapshot | undefined) => void>();
  /** Resolvers of pending trace flushes, by number. */
  readonly #pendingFlushes = new Map<number, () => void>();
  #lastFlush = 0;
  /** Callbacks of `onTraceBytes`, by recording. */
  readonly #dueCallbacks = new Map<number, () => void>();
  #commandHandlers: ServiceCommandHandlers | undefined;
  #commitTrace: () => void = () => undefined;
  #gapCallback: () => void = () => undefined;
  #refCount = 0;
  #recordingCount = 0;
  #lastTime = 0;
  #closing: Promise<boolean> | undefined;
  #onClosed: () => void = () => undefined;
  #hasReportedFailure = false;
  #isExiting = false;

  constructor(options: WriterOptions) {
    const {
      recordings,
      retention: { snapshots = {}, recordings: ofRecordings = {} } = {},
      level,
      services = [],
    } = options;
    checkRetention(snapshots, 'retention.snapshots');
    checkRetention(ofRecordings, 'retention.recordings');
    this.#options = options;
    const data: WriterThreadData = {
      recordings,
      snapshotRetention: snapshots,
      recordingRetention: ofRecordings,
      level,
      processStart: performance.timeOrigin,
      state: this.#state.memory,
      key: currentKey(),
      services,
      fault: currentFileFault(),
    };
    const { port1: notifications, port2 } = new MessageChannel();
    const workerData: WriterThreadStart = { type: 'writer', data, notifications: port2 };
    // The writer thread needs neither the program's hooks (`--import`, `NODE_OPTIONS`) nor its secrets.
    this.#worker = new Worker(
      new URL(import.meta.url.endsWith('.ts') ? './writer-thread.ts' : './writer-thread.js', import.meta.url),
      { name: 'turntable writer', workerData, transferList: [port2], execArgv: [], env: {} },
    );
    this.#notifications = notifications;
    notifications.on('message', (message: WriterNotification) => this.#receive(message));
    notifications.unref();
    this.#worker.on('error', (error: unknown) => this.#fail(threadError(error, recordings)));
    this.#worker.on('exit', (code) => {
      if (this.#closing === undefined) this.#fail(threadError(new Error(`it has ended with code ${code}`), recordings));
      this.#settlePending();
    });
    this.#worker.unref();
  }

  /** Number of added bytes that are not yet written, of this thread and all feeds. */
  get pending(): number {
    return this.#state.pending;
  }

  get isOff(): boolean {
    return this.#state.isOff;
  }

  /** @param isLater whether nothing is kept, neither files nor traces, until the recording is started */
  create(manifest: Manifest, { isLater = false }: { readonly isLater?: boolean } = {}): LiveRecording {
    const recording = ++this.#recordingCount;
    // The name must differ from that of a recording created in the same millisecond.
    this.#lastTime = Math.max(Date.parse(manifest.created), this.#lastTime + 1);
    const name = recordingName(new Date(this.#lastTime), manifest.pid);
    const counts = new TraceCounts();
    const span = isLater ? new TraceSpan() : undefined;
    const directory = join(this.#options.recordings, name);
    // A process that is killed in the program's first statement leaves a recording that opens.
    if (!isLater) tryWriteFirstManifest(directory, manifest, sealForWriting(manifest));
    this.#send({ type: 'create', recording, name, manifest, counts: counts.memory, isLater });
    let lastPhase = -1;
    return {
      directory,
      number: recording,
      addModule: (url, source, settings) => {
        if (this.#closing === undefined) sendModule(this.#worker, this.#state, { recording, url, source, settings });
      },
      update: (patch) => this.#send({ type: 'update', recording, patch }),
      add: (phase, worker, name, bytes) => {
        if (phase <= lastPhase) throw misuseError(`snapshot ${phase} has been committed; nothing can be added to it`);
        return sendChunk(this.#worker, this.#state, { recording, phase }, worker, name, bytes);
      },
      commitSnapshot: (phase, meta, chunks) => {
        if (!Number.isSafeInteger(phase) || phase <= lastPhase)
          throw misuseError(
            `snapshot ${phase} cannot follow snapshot ${lastPhase}; phases of a recording must be ascending integers`,
          );
        lastPhase = phase;
        return this.#commit({ type: 'commit', recording, phase, chunks, meta });
      },
      abandon: (phase) => this.#send({ type: 'abandon', recording, phase }),
      trace: (worker, epoch, phase = 0, earlierLosses = 0) => {
        const { port1, port2 } = new MessageChannel();
        const limit = this.#options.maxPendingTraceBytes ?? DEFAULT_MAX_PENDING_TRACE_BYTES;
        const { maxTraceBytes: maxBytes = Infinity } = this.#options;
        const shared = { state: this.#state.memory, counts: counts.memory, span: span?.memory };
        const handle = { port: port1, phase, limit, maxBytes, ...shared };
        // The segment must exist before other threads can record that this worker has started.
        const isKept = span === undefined || span.includes(phase);
        const firstChunk = isKept ? ChunkPool.announceFirst(handle) : undefined;
        const traced = { recording, worker, epoch, earlierLosses, port: port2 };
        this.#worker.postMessage({ type: 'trace', ...traced } satisfies WriterRequest, [port2]);
        this.#state.addSentTrace();
        return { ...handle, firstChunk };
      },
      workerLost: (worker, epoch, isOutOfMemory) =>
        this.#send({ type: 'worker-lost', recording, worker, epoch, isOutOfMemory }),
      get traceBytes() {
        return counts.bytesSinceSnapshot;
      },
      onTraceBytes: (bytes, callback) => {
        this.#dueCallbacks.set(recording, callback);
        this.#send({ type: 'due', recording, bytes });
      },
      start: (phase) => {
        this.#send({ type: 'resume', recording });
        span?.start(phase);
      },
      pause: (reason) => {
        span?.pause();
        this.#send({ type: 'pause', recording, reason });
      },
      end: (reason) => this.#send({ type: 'end', recording, reason }),
    };
  }

  #commit(message: CommitRequest): Promise<WrittenSnapshot | undefined> {
    if (this.isOff || this.#closing !== undefined) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<WrittenSnapshot | undefined>();
    this.#pendingCommits.set(`${message.recording} ${message.phase}`, resolve);
    this.#send(message);
    return this.#keepAlive(promise);
  }

  /** Sets the callback that commits this thread's trace before a flush that a client requested. */
  beforeFlush(commit: () => void): void {
    this.#commitTrace = commit;
  }

  /** Calls back when a trace has a gap, so that only a snapshot can start another trace. */
  onGap(callback: () => void): void {
    this.#gapCallback = callback;
  }

  /** Accepts service commands. A handler rejects if it refuses, and resolves to undefined if a write failed. */
  acceptCommands(handlers: ServiceCommandHandlers): void {
    this.#commandHandlers = handlers;
    this.#send({ type: 'accept-commands' });
  }

  async #runCommand(number: number, command: ServiceCommand): Promise<void> {
    let snapshot: RequestedSnapshot | undefined;
    let reason: string | undefined;
    try {
      snapshot = await this.#commandHandlers?.[command]();
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
    }
    this.#send({ type: 'command-result', number, snapshot, reason });
  }

  createFeed(): FeedHandle {
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage({ type: 'feed', port: port2 } satisfies WriterRequest, [port2]);
    return { port: port1, state: this.#state.memory };
  }

  /** Resolves when events committed before the call are on the disk, or their failure is reported. */
  flushTraces(): Promise<void> {
    if (this.#hasReportedFailure || this.#closing !== undefined) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const number = ++this.#lastFlush;
    this.#pendingFlushes.set(number, resolve);
    // Also if a failure has turned the writer off, because its report is still on its way.
    this.#worker.postMessage({ type: 'flush', number } satisfies WriterRequest);
    return this.#keepAlive(promise);
  }

  /** Blocks until the texts of all modules added so far are written, so that they survive a kill. */
  waitForModules(): void {
    if (this.#closing === undefined) this.#state.waitForModules(MODULES_TIMEOUT_MS);
  }

  /**
   * Writes pending data, abandons uncommitted snapshots and ends. Returns whether all data was written within the
   * deadline in milliseconds (default 10 000); a commit may wait forever for chunks of a dead thread.
   */
  close({ deadline = CLOSE_TIMEOUT_MS }: { readonly deadline?: number } = {}): Promise<boolean> {
    return (this.#closing ??= this.#keepAlive(this.#close(deadline)));
  }

  async #close(deadline: number): Promise<boolean> {
    const { promise: closed, resolve } = Promise.withResolvers<boolean>();
    this.#onClosed = () => resolve(true);
    this.#worker.postMessage({ type: 'close' } satisfies WriterRequest);
    const timer = deadline < 2 ** 31 ? nativeSetTimeout(() => resolve(false), deadline) : undefined;
    const isWhole = (await closed) && !this.#state.hasFailed;
    nativeClearTimeout(timer);
    await this.#worker.terminate();
    this.#settlePending();
    return isWhole;
  }

  /** Synchronous `close` for the end of a process. Blocks this thread, and reports failures on standard error. */
  closeSync({ deadline = CLOSE_TIMEOUT_MS }: { readonly deadline?: number } = {}): boolean {
    if (this.#closing === undefined) this.#worker.postMessage({ type: 'close' } satisfies WriterRequest);
    const hasClosed = this.#state.waitForClosed(deadline);
    this.#isExiting = true;
    this.#receiveErrors();
    if (!hasClosed) this.#fail(lateError(this.#options.recordings, deadline));
    const isWhole = hasClosed && !this.#state.hasFailed;
    this.#closing ??= this.#worker.terminate().then(() => isWhole);
    this.#settlePending();
    return isWhole;
  }

  #receiveErrors(): void {
    for (let next = receiveMessageOnPort(this.#notifications); next; next = receiveMessageOnPort(this.#notifications)) {
      const { message } = next as { readonly message: WriterNotification };
      if (message.type === 'error') this.#receive(message);
    }
  }

  #send(message: WriterRequest): void {
    if (!this.isOff && this.#closing === undefined) this.#worker.postMessage(message);
  }

  #receive(message: WriterNotification): void {
    if (message.type === 'closed') return this.#onClosed();
    if (message.type === 'error') {
      const error = toRecordingError(message.error);
      return message.error.isTransient ? this.#report(error) : this.#fail(error);
    }
    if (message.type === 'commit-trace') {
      this.#commitTrace();
      return this.#send({ type: 'trace-committed' });
    }
    if (message.type === 'command') return void this.#runCommand(message.number, message.command);
    if (message.type === 'gap') return this.#gapCallback();
    if (message.type === 'due') return this.#dueCallbacks.get(message.recording)?.();
    if (message.type === 'flushed') {
      this.#pendingFlushes.get(message.number)?.();
      return void this.#pendingFlushes.delete(message.number);
    }
    const key = `${message.recording} ${message.phase}`;
    this.#pendingCommits.get(key)?.(message.written);
    this.#pendingCommits.delete(key);
  }

  #fail(error: RecordingError): void {
    this.#state.turnOff(true);
    if (this.#hasReportedFailure) return;
    this.#hasReportedFailure = true;
    this.#report(error);
  }

  #report(error: RecordingError): void {
    if (this.#options.onError !== undefined) this.#options.onError(error);
    // Warnings are printed on the next tick, which an exiting process does not reach.
    else if (this.#isExiting) writeSync(STANDARD_ERROR, `(node:${process.pid}) [${error.code}] ${error}\n`);
    else process.emitWarning(error);
  }

  #settlePending(): void {
    this.#state.turnOff(false);
    this.#onClosed();
    for (const settle of this.#pendingCommits.values()) settle(undefined);
    this.#pendingCommits.clear();
    for (const settle of this.#pendingFlushes.values()) settle();
    this.#pendingFlushes.clear();
  }

  async #keepAlive<Value>(promise: Promise<Value>): Promise<Value> {
    if (this.#refCount++ === 0) this.#notifications.ref();
    try {
      return await promise;
    } finally {
      if (--this.#refCount === 0) this.#notifications.unref();
    }
  }
}

function toRecordingError({ code, message, file, cause }: SerializedRecordingError): RecordingError {
  return new RecordingError(code, message, { file, cause });
}

function lateError(recordings: string, deadline: number): RecordingError {
  return new RecordingError(
    'TT_RECORDING_WRITE',
    `the end of a recording in ${recordings} is missing: it could not be written within ${deadline} ms of the end of the process; a replay ends at the last event on the disk; record to a faster disk`,
  );
}

function threadError(error: unknown, recordings: string): RecordingError {
  const reason = error instanceof Error ? error.message : String(error);
  return new RecordingError(
    'TT_RECORDING_WRITE',
    `recording to ${recordings} has stopped, because its writer thread failed: ${reason}; existing snapshots stay usable; start the program again`,
    { cause: error },
  );
}
