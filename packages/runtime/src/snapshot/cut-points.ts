// The phases that begin without a snapshot (cut points, docs/internals/snapshots.md). The main thread adds a phase before the
// phase starts, so every worker finds the cut point, whether it learns of the phase from a control message, from a
// marker or at its own start. No thread waits for another.

/** Number of remembered cut points. */
const SLOTS = 4096;

export class CutPoints {
  readonly memory: SharedArrayBuffer;
  /** Last cut point of each slot, which is the phase modulo `SLOTS`. */
  readonly #words: Int32Array;

  constructor(memory = new SharedArrayBuffer(4 * SLOTS)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  add(phase: number): void {
    Atomics.store(this.#words, phase % SLOTS, phase);
  }

  /** Any phase of a reused slot counts as a cut point: a worker thousands of phases late has no snapshot to write. */
  has(phase: number): boolean {
    return phase > 0 && Atomics.load(this.#words, phase % SLOTS) >= phase;
  }
}
