// A chunk of shared memory, filled by a worker and read by the writer thread. The worker writes only after the
// committed length, the writer thread reads only before it, so neither waits. A commit is one atomic store, and
// committed data survives the worker.

/** States of a chunk. Only the worker leaves `open`, only the writer thread the others. */
export const CHUNK_STATE = {
  /** The worker writes to it. */
  open: 0,
  /** Another chunk follows. */
  full: 1,
  /** The worker has ended in order. */
  ended: 2,
  /** The next events are lost, or were not wanted. */
  stopped: 3,
  /** The writer thread has read all of it: it can be reused. */
  free: 4,
} as const;

/** Default size: enough for the events of a busy worker between two reads of the writer thread. */
export const CHUNK_BYTES = 256 << 10;

const HEAD_BYTES = 8;

export class TraceChunk {
  readonly memory: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  /** The committed length, and the state. */
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, 2);
    this.bytes = new Uint8Array(memory, HEAD_BYTES);
  }

  static create(length: number): TraceChunk {
    return new TraceChunk(new SharedArrayBuffer(HEAD_BYTES + Math.max(length, CHUNK_BYTES)));
  }

  commit(length: number): void {
    Atomics.store(this.#words, 0, length);
  }

  /** No more data is added. */
  close(length: number, state: number): void {
    Atomics.store(this.#words, 0, length);
    Atomics.store(this.#words, 1, state);
  }

  /** Read it before `committed`: a closed chunk is completely committed. */
  get state(): number {
    return Atomics.load(this.#words, 1);
  }

  get committed(): number {
    return Atomics.load(this.#words, 0);
  }

  release(): void {
    Atomics.store(this.#words, 1, CHUNK_STATE.free);
  }

  reuse(): void {
    Atomics.store(this.#words, 0, 0);
    Atomics.store(this.#words, 1, CHUNK_STATE.open);
  }
}

/** Counters of a recording's traces, shared by all threads. */
export class TraceCounts {
  readonly memory: SharedArrayBuffer;
  readonly #words: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(16)) {
    this.memory = memory;
    this.#words = new BigInt64Array(memory);
  }

  /** Bytes of chunks that the writer thread has not returned. */
  get heldBytes(): number {
    return Number(Atomics.load(this.#words, 0));
  }

  addHeld(bytes: number): void {
    Atomics.add(this.#words, 0, BigInt(bytes));
  }

  /** Bytes in segments since the last snapshot's phase. */
  get bytesSinceSnapshot(): number {
    return Number(Atomics.load(this.#words, 1));
  }

  set bytesSinceSnapshot(bytes: number) {
    Atomics.store(this.#words, 1, BigInt(bytes));
  }
}
