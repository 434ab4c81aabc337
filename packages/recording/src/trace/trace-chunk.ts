// A piece of shared memory on its way from a worker to the disk. The worker writes behind what it has committed and nowhere else, the writer's
// thread reads before it and nowhere else, so neither ever waits for the other; a commit is one store, and what is committed outlives the
// worker.

/** What becomes of a chunk; only the worker leaves the first state, only the writer's thread the second. */
export const CHUNK_STATE = {
  /** The worker writes to it. */
  open: 0,
  /** Another one follows. */
  full: 1,
  /** The worker has ended in order. */
  ended: 2,
  /** What came next could not be kept, or was not to be. */
  stopped: 3,
  /** All of it has been taken: it may be used again. */
  free: 4,
} as const;

/** Room for events of one, if none is larger. Enough for what a busy worker tells within the time between two looks of the writer's thread. */
export const CHUNK_BYTES = 256 << 10;

const HEAD_BYTES = 8;

export class TraceChunk {
  readonly memory: SharedArrayBuffer;
  readonly bytes: Uint8Array;
  /** How much is committed; what state it is in. */
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

  /** Nothing is added any more. */
  close(length: number, state: number): void {
    Atomics.store(this.#words, 0, length);
    Atomics.store(this.#words, 1, state);
  }

  /** To be asked before `committed`: of one that is closed all is committed. */
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

/** What all threads of one recording know of its traces. */
export class TraceCounts {
  readonly memory: SharedArrayBuffer;
  readonly #words: BigInt64Array;

  constructor(memory = new SharedArrayBuffer(16)) {
    this.memory = memory;
    this.#words = new BigInt64Array(memory);
  }

  /** Bytes of chunks that the writer's thread has not given back. */
  get heldBytes(): number {
    return Number(Atomics.load(this.#words, 0));
  }

  addHeld(bytes: number): void {
    Atomics.add(this.#words, 0, BigInt(bytes));
  }

  /** Bytes in segments of the last snapshot's phase and those behind it. */
  get bytesSinceSnapshot(): number {
    return Number(Atomics.load(this.#words, 1));
  }

  set bytesSinceSnapshot(bytes: number) {
    Atomics.store(this.#words, 1, BigInt(bytes));
  }
}
