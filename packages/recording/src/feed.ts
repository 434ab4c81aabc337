// Carries bytes from any thread to the writer thread: transferred, not copied, and counted until written. All threads
// share the count, so a thread that takes snapshots sees at once when the disk falls behind.

import { types } from 'node:util';
import { isMarkedAsUntransferable, type MessagePort, type Transferable } from 'node:worker_threads';

/** Identifies a snapshot of one of the writer's recordings, as plain data for other threads. */
export interface SnapshotKey {
  readonly recording: number;
  readonly phase: number;
}

/** Result of `Writer.createFeed`, to be sent to another thread with `port` in the transfer list. */
export interface FeedHandle {
  readonly port: MessagePort;
  readonly state: SharedArrayBuffer;
}

export interface SnapshotChunk extends SnapshotKey {
  readonly type: 'add';
  readonly worker: number;
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface ModuleMessage {
  readonly type: 'module';
  readonly recording: number;
  readonly url: string;
  readonly source: string;
  readonly settings: string | undefined;
}

interface MessageTarget {
  postMessage(message: SnapshotChunk | ModuleMessage, transfer?: readonly Transferable[]): void;
}

/** Indexes of `WriterState`'s words of 32 bits. */
const CLOSED = 0;
const FAILED = 1;
const AWAKE = 2;
const SENT_MODULES = 3;
const WRITTEN_MODULES = 4;
const SENT_TRACES = 5;

const TURNED_OFF_BY_FAILURE = 1n;
const TURNED_OFF_BY_CLOSE = 2n;

/** Maximum time for which a thread waits until the texts of its modules are written. */
export const MODULES_TIMEOUT_MS = 1000;

/** State shared by the threads of a writer. Once it is off, nothing is sent or pending. */
export class WriterState {
  readonly memory: SharedArrayBuffer;
  readonly #words: BigInt64Array;
  readonly #flags: Int32Array;
  /** Number of written modules when a wait for them timed out. */
  #stalledAt: number | undefined;

  constructor(memory = new SharedArrayBuffer(40)) {
    this.memory = memory;
    this.#words = new BigInt64Array(memory);
    this.#flags = new Int32Array(memory, 16, 6);
  }

  get pending(): number {
    return this.isOff ? 0 : Number(Atomics.load(this.#words, 0));
  }

  addPending(bytes: number): void {
    Atomics.add(this.#words, 0, BigInt(bytes));
  }

  get isOff(): boolean {
    return Atomics.load(this.#words, 1) !== 0n;
  }

  /** Whether a write failed. */
  get hasFailed(): boolean {
    return Atomics.load(this.#words, 1) === TURNED_OFF_BY_FAILURE || Atomics.load(this.#flags, FAILED) !== 0;
  }

  setFailed(): void {
    Atomics.store(this.#flags, FAILED, 1);
  }

  turnOff(hasFailed: boolean): void {
    Atomics.compareExchange(this.#words, 1, 0n, hasFailed ? TURNED_OFF_BY_FAILURE : TURNED_OFF_BY_CLOSE);
  }

  /** Called by the writer thread when it has finished. */
  setClosed(): void {
    Atomics.store(this.#flags, CLOSED, 1);
    Atomics.notify(this.#flags, CLOSED);
  }

  /** Blocks until the writer thread has finished, or until the timeout. Returns whether it has. */
  waitForClosed(timeoutMs: number): boolean {
    return Atomics.wait(this.#flags, CLOSED, 0, timeoutMs) !== 'timed-out';
  }

  /** Wakes the writer thread if it is idle. Must be called after a commit; costs one load while the thread is awake. */
  wakeWriter(): void {
    if (Atomics.load(this.#flags, AWAKE) !== 0 || Atomics.exchange(this.#flags, AWAKE, 1) !== 0) return;
    Atomics.notify(this.#flags, AWAKE);
  }

  /** Called by the writer thread when it becomes idle. It must then look for commits again. */
  setIdle(): void {
    Atomics.store(this.#flags, AWAKE, 0);
  }

  setAwake(): void {
    Atomics.store(this.#flags, AWAKE, 1);
  }

  /** Resolves when a commit wakes the writer thread. */
  async waitForWake(): Promise<void> {
    const waiting = Atomics.waitAsync(this.#flags, AWAKE, 0);
    if (waiting.async) await waiting.value;
  }

  /** Number of modules that all threads have sent, modulo 2^32. */
  get sentModules(): number {
    return Atomics.load(this.#flags, SENT_MODULES);
  }

  addSentModule(): void {
    Atomics.add(this.#flags, SENT_MODULES, 1);
  }

  /** Number of traces that have been announced, modulo 2^32. */
  get sentTraces(): number {
    return Atomics.load(this.#flags, SENT_TRACES);
  }

  addSentTrace(): void {
    Atomics.add(this.#flags, SENT_TRACES, 1);
  }

  get writtenModules(): number {
    return Atomics.load(this.#flags, WRITTEN_MODULES);
  }

  addWrittenModule(): void {
    Atomics.add(this.#flags, WRITTEN_MODULES, 1);
    Atomics.notify(this.#flags, WRITTEN_MODULES);
  }

  /**
   * Blocks until the texts of all modules sent so far are written. Returns false after the timeout; then it does not
   * block again before the writer makes progress.
   */
  waitForModules(timeoutMs: number): boolean {
    const target = this.sentModules;
    for (let written = this.writtenModules; ((target - written) | 0) > 0; written = this.writtenModules) {
      if (this.isOff) return true;
      if (written === this.#stalledAt) return false;
      if (Atomics.wait(this.#flags, WRITTEN_MODULES, written, timeoutMs) === 'timed-out') {
        this.#stalledAt = written;
        return false;
      }
    }
    return true;
  }
}

/** Sends a chunk and transfers `bytes`, whose buffer may be empty afterwards. Returns false if the writer is off. */
export function sendChunk(
  target: MessageTarget,
  state: WriterState,
  { recording, phase }: SnapshotKey,
  worker: number,
  name: string,
  bytes: Uint8Array,
): boolean {
  if (state.isOff) return false;
  const transferable = toTransferableBytes(bytes);
  state.addPending(transferable.length);
  target.postMessage({ type: 'add', recording, phase, worker, name, bytes: transferable }, [transferable.buffer]);
  return true;
}

export function sendModule(target: MessageTarget, state: WriterState, module: Omit<ModuleMessage, 'type'>): void {
  if (state.isOff) return;
  state.addPending(module.source.length);
  state.addSentModule();
  target.postMessage({ type: 'module', ...module });
}

/** Copies bytes that are only part of a buffer, or whose buffer cannot be transferred. */
function toTransferableBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isTransferable =
    types.isArrayBuffer(buffer) && buffer.byteLength === bytes.byteLength && !isMarkedAsUntransferable(buffer);
  return isTransferable ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

/** Connection of one thread to the writer thread, without the main thread in between. */
export class Feed {
  readonly #port: MessagePort;
  readonly #state: WriterState;

  constructor({ port, state }: FeedHandle) {
    this.#port = port;
    this.#state = new WriterState(state);
  }

  /** Number of bytes that all threads have added and the writer has not yet written. */
  get pending(): number {
    return this.#state.pending;
  }

  /** Adds a chunk to a snapshot and transfers the bytes. `commitSnapshot` needs the number of chunks added this way. */
  add(snapshot: SnapshotKey, worker: number, name: string, bytes: Uint8Array): void {
    sendChunk(this.#port, this.#state, snapshot, worker, name, bytes);
  }

  /** Adds the text of a module, like `LiveRecording.addModule`. */
  addModule(recording: number, url: string, source: string, settings?: string): void {
    sendModule(this.#port, this.#state, { recording, url, source, settings });
  }

  /** Blocks until the texts of all modules added so far are written, like `Writer.waitForModules`. */
  waitForModules(): void {
    this.#state.waitForModules(MODULES_TIMEOUT_MS);
  }

  close(): void {
    this.#port.close();
  }
}
