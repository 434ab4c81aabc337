// At which cuts of a run again its state is written, where a survey is to have states between the snapshots of its recording (docs/survey.md, "States in between"). All threads have
// to write at the same cuts, and each comes to them in its own time: who comes to one first decides, and the others find that. So much has been run since the last one then, or more, where
// states take long to be written or there are many of them.
import { functionBehind } from '@turntable/loader';

/** States are to be written besides. */
export interface StateWishes {
  /** Milliseconds of the processor's that the process takes between two, all its threads together. */
  readonly spacing: number;
}

/** So many times what writing a state takes lies between two: the run takes half as long again at the most. */
const SHARE = 2;
/** Cuts that are remembered: as far as one thread may be ahead of another, and more than an hour. */
const CUTS = 1 << 16;
/** Words before those of the cuts, milliseconds: when something was written last; when that was begun, and for how long it has kept the threads; how many times the spacing lies between two. */
const [LAST, BEGUN, KEPT, TIMES] = [0, 1, 2, 3];
const WORDS = 4;

/** The host's own answer, which is the same on all threads. */
const cpuUsage = (functionBehind(process.cpuUsage) ?? process.cpuUsage) as typeof process.cpuUsage;

function spentHere(): number {
  const { user, system } = cpuUsage.call(process);
  return Math.round((user + system) / 1000);
}

export class StateCuts {
  readonly memory: SharedArrayBuffer;
  /** Of a cut: its phase doubled, and one more if its state is wanted. */
  readonly #words: Int32Array;
  readonly #spacing: number;
  readonly #recorded: ReadonlySet<number>;
  readonly #spent: () => number;

  /**
   * @param recorded phases of the snapshots that there are already
   * @param memory the main thread's; nothing on that one
   * @param spent milliseconds of the processor's that the process has taken
   */
  constructor({ spacing }: StateWishes, recorded: readonly number[], memory?: SharedArrayBuffer, spent = spentHere) {
    this.memory = memory ?? new SharedArrayBuffer(4 * (WORDS + CUTS));
    this.#words = new Int32Array(this.memory);
    this.#spacing = spacing;
    this.#recorded = new Set(recorded);
    this.#spent = spent;
    if (memory === undefined) Atomics.store(this.#words, TIMES, 1);
  }

  /** Whether a state is to be written at the cut with which a phase begins. */
  isWanted(phase: number): boolean {
    const words = this.#words;
    const place = WORDS + (phase % CUTS);
    for (;;) {
      const decided = Atomics.load(words, place);
      const its = decided >> 1;
      if (its === phase) return decided % 2 === 1;
      // Who is so far behind finds none.
      if (its > phase) return false;
      const isWanted = !this.#recorded.has(phase) && this.#isDue();
      if (Atomics.compareExchange(words, place, decided, 2 * phase + (isWanted ? 1 : 0)) !== decided) continue;
      // A process can begin here from now on.
      if (isWanted || this.#recorded.has(phase)) this.#begins();
      return isWanted;
    }
  }

  /** A thread has written its part of the last one, which has kept it for so many milliseconds. */
  written(kept: number): void {
    Atomics.add(this.#words, KEPT, Math.ceil(kept));
    Atomics.store(this.#words, LAST, this.#spent());
  }

  /** From now on twice as much lies between two. */
  spread(): void {
    Atomics.store(this.#words, TIMES, 2 * Atomics.load(this.#words, TIMES));
  }

  #isDue(): boolean {
    const [last = 0, begun = 0, kept = 0, times = 1] = [LAST, BEGUN, KEPT, TIMES].map((word) =>
      Atomics.load(this.#words, word),
    );
    // What else was run meanwhile is in the one, what else the machine has done in the other.
    const took = Math.min(kept, last - begun);
    return this.#spent() - last >= Math.max(times * this.#spacing, SHARE * took);
  }

  #begins(): void {
    const spent = this.#spent();
    Atomics.store(this.#words, BEGUN, spent);
    Atomics.store(this.#words, KEPT, 0);
    Atomics.store(this.#words, LAST, spent);
  }
}
