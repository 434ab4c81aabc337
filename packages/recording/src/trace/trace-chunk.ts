// Shared memory that carries events from a worker to the writer thread, and counters of the waiting bytes. The worker
// writes only after the committed bytes and the writer thread reads only those, so neither waits. A commit is one
// store; committed bytes and the progress outlive the worker.

/** States of a chunk. Only the worker leaves `open`; only the writer thread sets `free`. */
export const CHUNK_STATE = {
  /** The worker writes to it. */
  open: 0,
  /** The worker continues in another chunk. */
  full: 1,
  /** The worker has ended normally. */
  ended: 2,
  /** The trace has a gap after this chunk. */
  stopped: 3,
  /** The writer thread has taken all events; the chunk may be reused. */
  free: 4,
} as const;

/** Size of a chunk, unless an event needs more. Enough for what a busy worker writes between two drains. */
export const CHUNK_BYTES = 256 << 10;

const HEAD_BYTES = 16;

export class TraceChunk {
  readonly memory: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  /** Number of committed bytes, the state, and the progress, lower half first. */
  readonly #words: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, 4);
    this.bytes = new Uint8Array(memory, HEAD_BYTES);
  }

  static create(length: number): TraceChunk {
    return new TraceChunk(new SharedArrayBuffer(HEAD_BYTES + Math.max(length, CHUNK_BYTES)));
  }

  commit(length: number): void {
    Atomics.store(this.#words, 0, length);
  }

  /** Commits the last bytes and replaces the state `open`. */
  close(length: number, state: number): void {
    Atomics.store(this.#words, 0, length);
    Atomics.store(this.#words, 1, state);
  }

  /** Must be read before `committed`: all bytes of a closed chunk are committed. */
  get state(): number {
    return Atomics.load(this.#words, 1);
  }

  get committed(): number {
    return Atomics.load(this.#words, 0);
  }

  /** How far the worker has come, see trace-progress.ts. */
  setProgress(progress: number): void {
    Atomics.store(this.#words, 2, progress | 0);
    if (progress > 0xffff_ffff) Atomics.store(this.#words, 3, Math.floor(progress / 2 ** 32));
  }

  /** Must be read before `committed`, which then includes all that the worker had committed before. */
  get progress(): number {
    return Atomics.load(this.#words, 3) * 2 ** 32 + (Atomics.load(this.#words, 2) >>> 0);
  }

  release(): void {
    Atomics.store(this.#words, 1, CHUNK_STATE.free);
  }

  reuse(): void {
    Atomics.store(this.#words, 0, 0);
    Atomics.store(this.#words, 1, CHUNK_STATE.open);
  }
}

/** Counters of a recording's traces, shared by all its threads. */
export class TraceCounts {
  readonly memory: SharedArrayBuffer;
  readonly #words: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(16)) {
    this.memory = memory;
    this.#words = new BigInt64Array(memory);
  }

  /** Total size of the chunks that the writer thread has not returned. */
  get heldBytes(): number {
    return Number(Atomics.load(this.#words, 0));
  }

  addHeld(bytes: number): void {
    Atomics.add(this.#words, 0, BigInt(bytes));
  }

  /** Bytes written to segments of the last snapshot's phase and of later phases. */
  get bytesSinceSnapshot(): number {
    return Number(Atomics.load(this.#words, 1));
  }

  set bytesSinceSnapshot(bytes: number) {
    Atomics.store(this.#words, 1, BigInt(bytes));
  }
}
