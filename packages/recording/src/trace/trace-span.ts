// Whether traces are kept of a recording that begins later than its program, and from which phase on: said by the main thread, seen by every worker's
// trace and by nobody waited for. A worker begins at the cut of that phase, and rests when it commits next.

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

  /** Whether what comes in that phase is kept. */
  includes(phase: number): boolean {
    return Atomics.load(this.#words, 0) <= BigInt(phase);
  }
}
