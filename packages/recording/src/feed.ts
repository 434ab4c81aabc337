// How bytes get to the writer's thread from any other one: given away, not copied, and counted until the writer has dealt with them. The
// count is one for all threads, in shared memory, so that whoever makes snapshots sees at once when the disk does not keep up.

import { types } from 'node:util';
import { isMarkedAsUntransferable, type MessagePort, type Transferable } from 'node:worker_threads';

/** Which snapshot of which recording of a writer. Plain data: to be sent to whoever adds to it. */
export interface SnapshotKey {
  readonly recording: number;
  readonly phase: number;
}

/** What `Writer.createFeed` answers: to be sent to another thread, `port` in the list of what is transferred. */
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

/** What the threads of a writer share. Once it is off, nothing is sent any more, and nothing is pending. */
export class WriterState {
  readonly memory: SharedArrayBuffer;
  readonly #words: BigInt64Array;
  /** Whether the thread has nothing more to do, whether something could not be written. */
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

  /** Whether something could not be written. */
  get hasFailed(): boolean {
    return Atomics.load(this.#words, 1) === TURNED_OFF_BY_FAILURE || Atomics.load(this.#flags, 1) !== 0;
  }

  setFailed(): void {
    Atomics.store(this.#flags, 1, 1);
  }

  turnOff(hasFailed: boolean): void {
    Atomics.compareExchange(this.#words, 1, 0n, hasFailed ? TURNED_OFF_BY_FAILURE : TURNED_OFF_BY_CLOSE);
  }

  /** Called by the writer's thread when it has nothing more to do. */
  setClosed(): void {
    Atomics.store(this.#flags, 0, 1);
    Atomics.notify(this.#flags, 0);
  }

  /** Stands still until then, or for so many milliseconds. */
  waitForClosed(timeoutMs: number): boolean {
    return Atomics.wait(this.#flags, 0, 0, timeoutMs) !== 'timed-out';
  }
}

/** Sends a chunk; answers whether it was sent. `bytes` are the writer's from then on: their buffer is empty here if it held nothing else. */
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

/** A message takes a whole buffer along, whatever part of it is meant, and some buffers cannot go. */
function toTransferableBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer } = bytes;
  const isTransferable =
    types.isArrayBuffer(buffer) && buffer.byteLength === bytes.byteLength && !isMarkedAsUntransferable(buffer);
  return isTransferable ? new Uint8Array(buffer) : new Uint8Array(bytes);
}

/** A thread's own way to the writer, past the main thread. */
export class Feed {
  readonly #port: MessagePort;
  readonly #state: WriterState;

  constructor({ port, state }: FeedHandle) {
    this.#port = port;
    this.#state = new WriterState(state);
  }

  /** Bytes that have been added by all threads and are not written yet. */
  get pending(): number {
    return this.#state.pending;
  }

  /**
   * Adds to a snapshot. `commitSnapshot` must be told how many chunks came this way. The bytes are given away.
   */
  add(snapshot: SnapshotKey, worker: number, name: string, bytes: Uint8Array): void {
    sendChunk(this.#port, this.#state, snapshot, worker, name, bytes);
  }

  /** The text of a module, as `LiveRecording.addModule` takes it. */
  addModule(recording: number, url: string, source: string, settings?: string): void {
    sendModule(this.#port, this.#state, { recording, url, source, settings });
  }

  close(): void {
    this.#port.close();
  }
}
