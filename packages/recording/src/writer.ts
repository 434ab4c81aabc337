// The door to the writer's thread. Nothing here waits for the disk and nothing throws for what the disk does: trouble is told once. If it may
// pass the next snapshot is tried, else the writer is off, takes whatever it is given and keeps nothing. It keeps no process alive, but while
// it is being closed or asked to.

import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { RequestedSnapshot, ServiceCommand } from './control/control-protocol.ts';
import { sendChunk, sendModule, WriterState, type FeedHandle } from './feed.ts';
import type { JsonObject } from './json.ts';
import { recordingName } from './file-names.ts';
import type { Manifest, ManifestPatch } from './manifest.ts';
import { misuseError, RecordingError } from './recording-error.ts';
import type { WrittenSnapshot } from './recording-writer.ts';
import { checkRetention, type Retention } from './retention.ts';
import { currentKey } from './sealed/key.ts';
import { TraceCounts } from './trace/trace-chunk.ts';
import { TraceSpan } from './trace/trace-span.ts';
import type { TraceHandle } from './trace/chunk-pool.ts';
import type {
  CommitRequest,
  WriterNotification,
  WriterRequest,
  SerializedRecordingError,
  WriterThreadData,
} from './writer-messages.ts';

/** A program may put its own in the places of these: tests do. */
const { setTimeout: nativeSetTimeout, clearTimeout: nativeClearTimeout } = globalThis;

export interface WriterOptions {
  /** The directory of recordings; made if it is not there. */
  readonly recordings: string;
  readonly retention?: {
    /** Of each recording. Nothing is deleted if it is left out. */
    readonly snapshots?: Retention;
    /** Of the directory: recordings are deleted whole, never one that is being written. */
    readonly recordings?: Retention;
  };
  /** Bytes of traces that may wait for the disk, 256 MiB if it is left out. A trace for which there is no more room ends there. */
  readonly maxPendingTraceBytes?: number;
  /** Of zstd; 1 if it is left out. */
  readonly level?: number;
  /** Directories in which others of this user may ask the process, the best one first (`serviceDirectories`); nobody may, if it is left out. */
  readonly services?: readonly string[];
  /** Told why nothing can be written: once, until something has been written again. A warning of the process, if it is left out. */
  readonly onError?: (error: RecordingError) => void;
}

/** A recording that is being written. */
export interface LiveRecording {
  readonly directory: string;
  /** Among those of its writer: for `Feed.add`. */
  readonly number: number;
  /** The text of a module, and what else decides how it is compiled. May be called again with the same. */
  addModule(url: string, source: string, settings?: string): void;
  update(patch: ManifestPatch): void;
  /** Adds to the part `name` of a worker in the snapshot of a phase, as `Feed.add` does. The bytes are given away. Returns whether they were sent. */
  add(phase: number, worker: number, name: string, bytes: Uint8Array): boolean;
  /**
   * Commits the snapshot of a phase: waits for all of its chunks, then for the disk. Phases must rise. The process stays alive until then.
   * @param chunks how many were added, by this thread and by feeds
   * @returns undefined if the snapshot was abandoned or could not be written; never rejects
   */
  commitSnapshot(phase: number, metadata: JsonObject, chunks: number): Promise<WrittenSnapshot | undefined>;
  /** There will be no snapshot of that phase: what was added to it is deleted, and what is still on its way is dropped. */
  abandon(phase: number): void;
  /**
   * A way for the trace of one life of a worker to get here: to be sent to its thread, which makes a `TraceWriter` of it.
   * @param phase in which the worker begins
   */
  trace(worker: number, epoch: number, phase?: number): TraceHandle;
  /** Bytes of traces on the disk that a replay from the last snapshot would take; from the start, as long as there is none. */
  readonly traceBytes: number;
  /** Calls when `traceBytes` has got so large, and each time it has grown by as much again without a snapshot. */
  onTraceBytes(bytes: number, callback: () => void): void;
  /** Of one that was to begin later: traces are kept from that phase on, of each worker from its cut. */
  start(phase: number): void;
  /** It ends here, and may begin again with a later phase. `reason`: for the manifest. */
  pause(reason: string): void;
  /** Snapshots that are still open are abandoned, traces end. `reason`: if not because the program has ended. */
  end(reason?: string): void;
}

export type ServiceCommandHandlers = Readonly<Record<ServiceCommand, () => Promise<RequestedSnapshot | undefined>>>;

export const DEFAULT_MAX_PENDING_TRACE_BYTES = 256 << 20;
const CLOSE_TIMEOUT_MS = 10_000;
const CLOSE_SYNC_TIMEOUT_MS = 1000;

export function startWriter(options: WriterOptions): Writer {
  return new Writer(options);
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #state = new WriterState();
  readonly #worker: Worker;
  /** Commits that have not been answered, by recording and phase. */
  readonly #pendingCommits = new Map<string, (written: WrittenSnapshot | undefined) => void>();
  /** Who waits for traces to be flushed, by number. */
  readonly #pendingFlushes = new Map<number, () => void>();
  #lastFlush = 0;
  /** By recording. */
  readonly #dueCallbacks = new Map<number, () => void>();
  #commandHandlers: ServiceCommandHandlers | undefined;
  #commitTrace: () => void = () => undefined;
  #refCount = 0;
  #recordingCount = 0;
  #lastTime = 0;
  #closing: Promise<boolean> | undefined;
  #onClosed: () => void = () => undefined;
  #hasReportedFailure = false;

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
    const workerData: WriterThreadData = {
      recordings,
      snapshotRetention: snapshots,
      recordingRetention: ofRecordings,
      level,
      processStart: performance.timeOrigin,
      state: this.#state.memory,
      key: currentKey(),
      services,
    };
    // Neither the program's hooks nor its environment belong in it: `--import`, `NODE_OPTIONS`, secrets.
    this.#worker = new Worker(
      new URL(import.meta.url.endsWith('.ts') ? './writer-thread.ts' : './writer-thread.js', import.meta.url),
      { name: 'turntable writer', workerData, execArgv: [], env: {} },
    );
    this.#worker.on('message', (message: WriterNotification) => this.#receive(message));
    this.#worker.on('error', (error: unknown) => this.#fail(threadError(error, recordings)));
    this.#worker.on('exit', (code) => {
      if (this.#closing === undefined) this.#fail(threadError(new Error(`it has ended with code ${code}`), recordings));
      this.#settlePending();
    });
    this.#worker.unref();
  }

  /** Bytes that have been added and are not written yet: by this thread and by feeds. */
  get pending(): number {
    return this.#state.pending;
  }

  get isOff(): boolean {
    return this.#state.isOff;
  }

  /** `isLater`: nothing of it is on the disk, and of no trace anything is kept, until it begins. */
  create(manifest: Manifest, { isLater = false }: { readonly isLater?: boolean } = {}): LiveRecording {
    const recording = ++this.#recordingCount;
    // Two of one millisecond would have one name.
    this.#lastTime = Math.max(Date.parse(manifest.created), this.#lastTime + 1);
    const name = recordingName(new Date(this.#lastTime), manifest.pid);
    const counts = new TraceCounts();
    const span = isLater ? new TraceSpan() : undefined;
    this.#send({ type: 'create', recording, name, manifest, counts: counts.memory, isLater });
    let lastPhase = -1;
    return {
      directory: join(this.#options.recordings, name),
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
            `snapshot ${phase} cannot follow snapshot ${lastPhase}; phases of a recording are integers that rise`,
          );
        lastPhase = phase;
        return this.#commit({ type: 'commit', recording, phase, chunks, meta });
      },
      abandon: (phase) => this.#send({ type: 'abandon', recording, phase }),
      trace: (worker, epoch, phase = 0) => {
        const { port1, port2 } = new MessageChannel();
        this.#worker.postMessage({ type: 'trace', recording, worker, epoch, port: port2 } satisfies WriterRequest, [
          port2,
        ]);
        const limit = this.#options.maxPendingTraceBytes ?? DEFAULT_MAX_PENDING_TRACE_BYTES;
        return { port: port1, state: this.#state.memory, counts: counts.memory, phase, limit, span: span?.memory };
      },
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

  /** Called when others of this user want to see what there is so far: it commits what this thread has traced. */
  beforeFlush(commit: () => void): void {
    this.#commitTrace = commit;
  }

  /** From now on others of this user may ask for this: each rejects with why it cannot be, or answers nothing, if the disk does not take it. */
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

  /** A way to add to snapshots for another thread. */
  createFeed(): FeedHandle {
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage({ type: 'feed', port: port2 } satisfies WriterRequest, [port2]);
    return { port: port1, state: this.#state.memory };
  }

  /** Answers when what workers have committed to their traces before is on the disk, or it has been told why it is not. */
  flushTraces(): Promise<void> {
    if (this.isOff || this.#closing !== undefined) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const number = ++this.#lastFlush;
    this.#pendingFlushes.set(number, resolve);
    this.#send({ type: 'flush', number });
    return this.#keepAlive(promise);
  }

  /**
   * Writes all that is pending and ends. Answers whether everything got to the disk within the deadline, in milliseconds, 10 000
   * if it is left out; a commit that still waits for chunks of a thread that has died would wait for ever.
   * Snapshots that have not been committed are abandoned.
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

  /** The same for `process.on('exit')`, where nothing can be awaited: this thread stands still meanwhile, for 1000 ms at most if nothing else is said. */
  closeSync({ deadline = CLOSE_SYNC_TIMEOUT_MS }: { readonly deadline?: number } = {}): boolean {
    if (this.#closing === undefined) this.#worker.postMessage({ type: 'close' } satisfies WriterRequest);
    const isWhole = this.#state.waitForClosed(deadline) && !this.#state.hasFailed;
    this.#closing ??= this.#worker.terminate().then(() => isWhole);
    this.#settlePending();
    return isWhole;
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
    if (this.#options.onError === undefined) process.emitWarning(error);
    else this.#options.onError(error);
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
    if (this.#refCount++ === 0) this.#worker.ref();
    try {
      return await promise;
    } finally {
      if (--this.#refCount === 0) this.#worker.unref();
    }
  }
}

function toRecordingError({ code, message, file, cause }: SerializedRecordingError): RecordingError {
  return new RecordingError(code, message, { file, cause });
}

function threadError(error: unknown, recordings: string): RecordingError {
  const reason = error instanceof Error ? error.message : String(error);
  return new RecordingError(
    'TT_RECORDING_WRITE',
    `nothing is recorded any more to ${recordings}: the writer's thread has failed: ${reason}; snapshots already there stay usable; start again`,
    { cause: error },
  );
}
