// The door to the writer's thread. Nothing here waits for the disk and nothing throws for what the disk does: trouble is told once. If it may
// pass the next snapshot is tried, else the writer is off, takes whatever it is given and keeps nothing. It keeps no process alive, but while
// it is being closed or asked to.

import { join } from 'node:path';
import { MessageChannel, Worker } from 'node:worker_threads';
import type { GrantedSnapshot, Wish } from './control/messages.ts';
import { sendChunk, sendModule, WriterState, type FeedHandle } from './feed.ts';
import type { JsonObject } from './json.ts';
import { recordingName } from './layout.ts';
import type { Manifest, ManifestPatch } from './manifest.ts';
import { misuse, RecordingError } from './recording-error.ts';
import type { Written } from './recording-writer.ts';
import { checkRetention, type Retention } from './retention.ts';
import { keyHere } from './sealed/key.ts';
import { TraceCounts } from './trace/chunk.ts';
import { TraceSpan } from './trace/span.ts';
import type { TraceHandle } from './trace/chunk-supply.ts';
import type { Commit, FromThread, ToThread, Trouble, WriterData } from './writer-messages.ts';

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
  readonly traceLimit?: number;
  /** Of zstd; 1 if it is left out. */
  readonly level?: number;
  /** Directories in which others of this user may ask the process, the best one first (`servicePlaces`); nobody may, if it is left out. */
  readonly services?: readonly string[];
  /** Told why nothing can be written: once, until something has been written again. A warning of the process, if it is left out. */
  readonly onTrouble?: (error: RecordingError) => void;
}

/** A recording that is being written. */
export interface LiveRecording {
  readonly directory: string;
  /** Among those of its writer: for `Feed.add`. */
  readonly number: number;
  /** The text of a module, and what else decides how it is compiled. May be called again with the same. */
  addModule(url: string, text: string, settings?: string): void;
  update(patch: ManifestPatch): void;
  /** Adds to the part `name` of a worker in the snapshot of a phase, as `Feed.add` does. The bytes are given away. Returns whether they were sent. */
  add(phase: number, worker: number, name: string, bytes: Uint8Array): boolean;
  /**
   * Commits the snapshot of a phase: waits for all of its chunks, then for the disk. Phases must rise. The process stays alive until then.
   * @param chunks how many were added, by this thread and by feeds
   * @returns undefined if the snapshot was abandoned or could not be written; never rejects
   */
  commitSnapshot(phase: number, metadata: JsonObject, chunks: number): Promise<Written | undefined>;
  /** There will be no snapshot of that phase: what was added to it is deleted, and what is still on its way is dropped. */
  abandon(phase: number): void;
  /**
   * A way for the trace of one life of a worker to get here: to be sent to its thread, which makes a `TraceWriter` of it.
   * @param phase in which the worker begins
   */
  trace(worker: number, life: number, phase?: number): TraceHandle;
  /** Bytes of traces on the disk that a replay from the last snapshot would take; from the start, as long as there is none. */
  readonly traceBytes: number;
  /** Calls when `traceBytes` has got so large, and each time it has grown by as much again without a snapshot. */
  whenTraced(bytes: number, callback: () => void): void;
  /** Of one that was to begin later: traces are kept from that phase on, of each worker from its cut. */
  begin(phase: number): void;
  /** It ends here, and may begin again with a later phase. `why`: for the manifest. */
  rest(why: string): void;
  /** Snapshots that are still open are abandoned, traces end. `why`: if not because the program has ended. */
  end(why?: string): void;
}

export type Wishes = Readonly<Record<Wish, () => Promise<GrantedSnapshot | undefined>>>;

export const TRACE_LIMIT = 256 << 20;
const CLOSE_DEADLINE = 10_000;
const CLOSE_SYNC_DEADLINE = 1000;

export function startWriter(options: WriterOptions): Writer {
  return new Writer(options);
}

export class Writer {
  readonly #options: WriterOptions;
  readonly #state = new WriterState();
  readonly #worker: Worker;
  /** Commits that have not been answered, by recording and phase. */
  readonly #asked = new Map<string, (written: Written | undefined) => void>();
  /** Who waits for traces to be flushed, by number. */
  readonly #flushes = new Map<number, () => void>();
  #flushed = 0;
  /** By recording. */
  readonly #due = new Map<number, () => void>();
  #wishes: Wishes | undefined;
  #commitHere: () => void = () => undefined;
  #holders = 0;
  #recordings = 0;
  #lastTime = 0;
  #closing: Promise<boolean> | undefined;
  #closed: () => void = () => undefined;
  #isTold = false;

  constructor(options: WriterOptions) {
    const { recordings, retention: { snapshots = {}, recordings: ofAll = {} } = {}, level, services = [] } = options;
    checkRetention(snapshots, 'retention.snapshots');
    checkRetention(ofAll, 'retention.recordings');
    this.#options = options;
    const workerData: WriterData = {
      recordings,
      snapshotRetention: snapshots,
      recordingRetention: ofAll,
      level,
      processStart: performance.timeOrigin,
      state: this.#state.memory,
      key: keyHere(),
      services,
    };
    // Neither the program's hooks nor its environment belong in it: `--import`, `NODE_OPTIONS`, secrets.
    this.#worker = new Worker(
      new URL(import.meta.url.endsWith('.ts') ? './writer-thread.ts' : './writer-thread.js', import.meta.url),
      { name: 'turntable writer', workerData, execArgv: [], env: {} },
    );
    this.#worker.on('message', (message: FromThread) => this.#hear(message));
    this.#worker.on('error', (error: unknown) => this.#fail(ofThread(error, recordings)));
    this.#worker.on('exit', (code) => {
      if (this.#closing === undefined) this.#fail(ofThread(new Error(`it has ended with code ${code}`), recordings));
      this.#ended();
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
    const recording = ++this.#recordings;
    // Two of one millisecond would have one name.
    this.#lastTime = Math.max(Date.parse(manifest.created), this.#lastTime + 1);
    const name = recordingName(new Date(this.#lastTime), manifest.pid);
    const counts = new TraceCounts();
    const span = isLater ? new TraceSpan() : undefined;
    this.#send({ what: 'create', recording, name, manifest, counts: counts.memory, isLater });
    let lastPhase = -1;
    return {
      directory: join(this.#options.recordings, name),
      number: recording,
      addModule: (url, text, settings) => {
        if (this.#closing === undefined) sendModule(this.#worker, this.#state, { recording, url, text, settings });
      },
      update: (patch) => this.#send({ what: 'update', recording, patch }),
      add: (phase, worker, name, bytes) => {
        if (phase <= lastPhase) throw misuse(`snapshot ${phase} has been committed; nothing can be added to it`);
        return sendChunk(this.#worker, this.#state, { recording, phase }, worker, name, bytes);
      },
      commitSnapshot: (phase, meta, chunks) => {
        if (!Number.isSafeInteger(phase) || phase <= lastPhase)
          throw misuse(
            `snapshot ${phase} cannot follow snapshot ${lastPhase}; phases of a recording are integers that rise`,
          );
        lastPhase = phase;
        return this.#commit({ what: 'commit', recording, phase, chunks, meta });
      },
      abandon: (phase) => this.#send({ what: 'abandon', recording, phase }),
      trace: (worker, life, phase = 0) => {
        const { port1, port2 } = new MessageChannel();
        this.#worker.postMessage({ what: 'trace', recording, worker, life, port: port2 } satisfies ToThread, [port2]);
        const limit = this.#options.traceLimit ?? TRACE_LIMIT;
        return { port: port1, state: this.#state.memory, counts: counts.memory, phase, limit, span: span?.memory };
      },
      get traceBytes() {
        return counts.sinceSnapshot;
      },
      whenTraced: (bytes, callback) => {
        this.#due.set(recording, callback);
        this.#send({ what: 'due', recording, bytes });
      },
      begin: (phase) => {
        this.#send({ what: 'resume', recording });
        span?.begin(phase);
      },
      rest: (why) => {
        span?.rest();
        this.#send({ what: 'rest', recording, why });
      },
      end: (why) => this.#send({ what: 'end', recording, why }),
    };
  }

  #commit(message: Commit): Promise<Written | undefined> {
    if (this.isOff || this.#closing !== undefined) return Promise.resolve(undefined);
    const { promise, resolve } = Promise.withResolvers<Written | undefined>();
    this.#asked.set(`${message.recording} ${message.phase}`, resolve);
    this.#send(message);
    return this.#holding(promise);
  }

  /** Called when others of this user want to see what there is so far: it commits what this thread has traced. */
  beforeFlush(commit: () => void): void {
    this.#commitHere = commit;
  }

  /** From now on others of this user may ask for this: each rejects with why it cannot be, or answers nothing, if the disk does not take it. */
  grant(wishes: Wishes): void {
    this.#wishes = wishes;
    this.#send({ what: 'grants' });
  }

  async #granting(number: number, wish: Wish): Promise<void> {
    let taken: GrantedSnapshot | undefined;
    let why: string | undefined;
    try {
      taken = await this.#wishes?.[wish]();
    } catch (error) {
      why = error instanceof Error ? error.message : String(error);
    }
    this.#send({ what: 'granted', number, taken, why });
  }

  /** A way to add to snapshots for another thread. */
  feed(): FeedHandle {
    const { port1, port2 } = new MessageChannel();
    this.#worker.postMessage({ what: 'feed', port: port2 } satisfies ToThread, [port2]);
    return { port: port1, state: this.#state.memory };
  }

  /** Answers when what workers have committed to their traces before is on the disk, or it has been told why it is not. */
  flushTraces(): Promise<void> {
    if (this.isOff || this.#closing !== undefined) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const number = ++this.#flushed;
    this.#flushes.set(number, resolve);
    this.#send({ what: 'flush', number });
    return this.#holding(promise);
  }

  /**
   * Writes all that is pending and ends. Answers whether everything got to the disk within the deadline, in milliseconds, 10 000
   * if it is left out; a commit that still waits for chunks of a thread that has died would wait for ever.
   * Snapshots that have not been committed are abandoned.
   */
  close({ deadline = CLOSE_DEADLINE }: { readonly deadline?: number } = {}): Promise<boolean> {
    return (this.#closing ??= this.#holding(this.#close(deadline)));
  }

  async #close(deadline: number): Promise<boolean> {
    const { promise: closed, resolve } = Promise.withResolvers<boolean>();
    this.#closed = () => resolve(true);
    this.#worker.postMessage({ what: 'close' } satisfies ToThread);
    const timer = deadline < 2 ** 31 ? nativeSetTimeout(() => resolve(false), deadline) : undefined;
    const isWhole = (await closed) && !this.#state.hasFailed;
    nativeClearTimeout(timer);
    await this.#worker.terminate();
    this.#ended();
    return isWhole;
  }

  /** The same for `process.on('exit')`, where nothing can be awaited: this thread stands still meanwhile, for 1000 ms at most if nothing else is said. */
  closeSync({ deadline = CLOSE_SYNC_DEADLINE }: { readonly deadline?: number } = {}): boolean {
    if (this.#closing === undefined) this.#worker.postMessage({ what: 'close' } satisfies ToThread);
    const isWhole = this.#state.waitForClosed(deadline) && !this.#state.hasFailed;
    this.#closing ??= this.#worker.terminate().then(() => isWhole);
    this.#ended();
    return isWhole;
  }

  #send(message: ToThread): void {
    if (!this.isOff && this.#closing === undefined) this.#worker.postMessage(message);
  }

  #hear(message: FromThread): void {
    if (message.what === 'closed') return this.#closed();
    if (message.what === 'trouble') {
      const error = errorOf(message.trouble);
      return message.trouble.isPassing ? this.#say(error) : this.#fail(error);
    }
    if (message.what === 'publish') {
      this.#commitHere();
      return this.#send({ what: 'published' });
    }
    if (message.what === 'wish') return void this.#granting(message.number, message.wish);
    if (message.what === 'due') return this.#due.get(message.recording)?.();
    if (message.what === 'flushed') {
      this.#flushes.get(message.number)?.();
      return void this.#flushes.delete(message.number);
    }
    const key = `${message.recording} ${message.phase}`;
    this.#asked.get(key)?.(message.written);
    this.#asked.delete(key);
  }

  #fail(error: RecordingError): void {
    this.#state.turnOff(true);
    if (this.#isTold) return;
    this.#isTold = true;
    this.#say(error);
  }

  #say(error: RecordingError): void {
    if (this.#options.onTrouble === undefined) process.emitWarning(error);
    else this.#options.onTrouble(error);
  }

  #ended(): void {
    this.#state.turnOff(false);
    this.#closed();
    for (const answer of this.#asked.values()) answer(undefined);
    this.#asked.clear();
    for (const answer of this.#flushes.values()) answer();
    this.#flushes.clear();
  }

  async #holding<Value>(promise: Promise<Value>): Promise<Value> {
    if (this.#holders++ === 0) this.#worker.ref();
    try {
      return await promise;
    } finally {
      if (--this.#holders === 0) this.#worker.unref();
    }
  }
}

function errorOf({ code, message, file, cause }: Trouble): RecordingError {
  return new RecordingError(code, message, { file, cause });
}

function ofThread(error: unknown, recordings: string): RecordingError {
  const why = error instanceof Error ? error.message : String(error);
  return new RecordingError(
    'TT_RECORDING_WRITE',
    `nothing is recorded any more to ${recordings}: the writer's thread has failed: ${why}; snapshots already there stay usable; start again`,
    { cause: error },
  );
}
