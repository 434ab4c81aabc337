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

const TURNED_OFF_BY_FAILURE = 1n;
const TURNED_OFF_BY_CLOSE = 2n;

/** State shared by the threads of a writer. Once it is off, nothing is sent or pending. */
export class WriterState {
  readonly memory: SharedArrayBuffer;
  readonly #words: BigInt64Array;
  /** Two flags: whether the writer thread has finished, and whether a write failed. */
  readonly #flags: Int32Array;

  constructor(memory = new SharedArrayBuffer(24)) {
    this.memory = memory;
    this.#words = new BigInt64Array(memory);
    this.#flags = new Int32Array(memory, 16, 2);
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
    return Atomics.load(this.#words, 1) === TURNED_OFF_BY_FAILURE || Atomics.load(this.#flags, 1) !== 0;
  }

  setFailed(): void {
    Atomics.store(this.#flags, 1, 1);
  }

  turnOff(hasFailed: boolean): void {
    Atomics.compareExchange(this.#words, 1, 0n, hasFailed ? TURNED_OFF_BY_FAILURE : TURNED_OFF_BY_CLOSE);
  }

  /** Called by the writer thread when it has finished. */
  setClosed(): void {
    Atomics.store(this.#flags, 0, 1);
    Atomics.notify(this.#flags, 0);
  }

  /** Blocks until the writer thread has finished, or until the timeout. Returns whether it has. */
  waitForClosed(timeoutMs: number): boolean {
    return Atomics.wait(this.#flags, 0, 0, timeoutMs) !== 'timed-out';
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

  close(): void {
    this.#port.close();
  }
}
