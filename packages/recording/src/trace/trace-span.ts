// Shared state that tells from which phase on traces are kept. The main thread sets it and every worker's trace reads
// it, without waiting. A worker's trace starts at the cut of that phase. After a pause it stops at the next commit.

const NEVER = 2n ** 62n;

export class TraceSpan {
  readonly memory: SharedArrayBuffer;
  readonly #words: BigInt64Array;

  constructor(memory?: SharedArrayBuffer) {
    this.memory = memory ?? new SharedArrayBuffer(8);
    this.#words = new BigInt64Array(this.memory);
    if (memory === undefined) this.pause();
  }

  start(phase: number): void {
    Atomics.store(this.#words, 0, BigInt(phase));
  }

  pause(): void {
    Atomics.store(this.#words, 0, NEVER);
  }

  get isPaused(): boolean {
    return Atomics.load(this.#words, 0) === NEVER;
  }

  /** Whether events of the phase are kept. */
  includes(phase: number): boolean {
    return Atomics.load(this.#words, 0) <= BigInt(phase);
  }
}
