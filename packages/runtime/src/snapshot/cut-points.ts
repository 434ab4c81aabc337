// The phases that begin without a snapshot (cut points, docs/snapshots.md). The main thread adds a phase before it
// starts. Every worker sees it however it learns of the phase: by a control message, a marker, or at its start. No
// thread waits for another.

/** Number of remembered cut points. */
const SLOTS = 4096;

export class CutPoints {
  readonly memory: SharedArrayBuffer;
  /** At index `phase % SLOTS`, the last cut point with that index. */
  readonly #words: Int32Array;

  constructor(memory = new SharedArrayBuffer(4 * SLOTS)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  add(phase: number): void {
    Atomics.store(this.#words, phase % SLOTS, phase);
  }

  /** Slots may be reused: a worker thousands of phases behind has no snapshot to write meanwhile. */
  has(phase: number): boolean {
    return phase > 0 && Atomics.load(this.#words, phase % SLOTS) >= phase;
  }
}
