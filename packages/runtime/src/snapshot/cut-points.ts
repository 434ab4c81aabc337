// Which phases begin without a snapshot (bare cuts, docs/snapshots.md): said by the main thread before any of them begins, and seen by every worker in whichever way it comes to
// learn of the phase: it is told, it meets a marker, or it is born in it. Nobody waits for anybody.

/** Bare phases that are remembered. */
const SLOTS = 4096;

export class CutPoints {
  readonly memory: SharedArrayBuffer;
  /** At the place of a phase, the last one that was bare of those which have that place. */
  readonly #words: Int32Array;

  constructor(memory = new SharedArrayBuffer(4 * SLOTS)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  add(phase: number): void {
    Atomics.store(this.#words, phase % SLOTS, phase);
  }

  /** A worker that is thousands of phases behind has nothing to write either: none begins as long as a snapshot wants for a part. */
  has(phase: number): boolean {
    return phase > 0 && Atomics.load(this.#words, phase % SLOTS) >= phase;
  }
}
