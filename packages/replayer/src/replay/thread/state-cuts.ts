// At which cuts of a run again its state is written, where a survey is to have states between the snapshots of its recording (docs/survey.md, "States in between"). All threads have
// to write at the same cuts, and each comes to them in its own time: who comes to one first decides, and the others find that. So much has been run since the last one then, or more, where
// states take long to be written.
import { functionBehind } from '@turntable/loader';
import type { StateWishes } from '../replay-order.ts';

/** So many times what its threads spend on a state lies at least between two: with them, and what they cost besides (garbage, the thread that compresses), a run of Acme Air takes half as long again. */
const SHARE = 0.6;
/** Cuts that are remembered: as far as one thread may be ahead of another, and more than an hour. */
const CUTS = 1 << 16;
/** Words before those of the cuts, milliseconds: when something was written last; what has been spent on the last state so far, and on one that is whole. */
const [LAST, SPENT, TOOK] = [0, 1, 2];
const WORDS = 3;

/** What the processor has spent so far, in whole milliseconds. */
export interface Spending {
  /** On the process, all its threads together. */
  all(): number;
  /** On this thread. */
  own(): number;
}

/** The host's own answers: the program's are recorded ones. */
const { cpuUsage, threadCpuUsage } = process;
const ask = (usage: typeof cpuUsage): number => {
  const { user, system } = ((functionBehind(usage) ?? usage) as typeof cpuUsage).call(process);
  return Math.round((user + system) / 1000);
};
export const SPENDING: Spending = { all: () => ask(cpuUsage), own: () => ask(threadCpuUsage) };

export class StateCuts {
  readonly memory: SharedArrayBuffer;
  /** Of a cut: its phase doubled, and one more if its state is wanted. */
  readonly #words: Int32Array;
  readonly #spacing: number;
  readonly #recorded: ReadonlySet<number>;
  readonly #spending: Spending;
  /** When this thread has begun to write, if it does. */
  #began: number | undefined;

  /**
   * @param recorded phases of the snapshots that there are already
   * @param memory the main thread's; nothing on that one
   */
  constructor({ spacing }: StateWishes, recorded: readonly number[], memory?: SharedArrayBuffer, spending = SPENDING) {
    this.memory = memory ?? new SharedArrayBuffer(4 * (WORDS + CUTS));
    this.#words = new Int32Array(this.memory);
    this.#spacing = spacing;
    this.#recorded = new Set(recorded);
    this.#spending = spending;
  }

  /** Whether a state is to be written at the cut with which a phase begins; this thread is about to. */
  isWanted(phase: number): boolean {
    const isWanted = this.#isDecided(phase);
    if (isWanted) this.#began = this.#spending.own();
    return isWanted;
  }

  #isDecided(phase: number): boolean {
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

  /** This thread has cut, and written what was wanted of it. */
  passed(): void {
    if (this.#began === undefined) return;
    Atomics.add(this.#words, SPENT, this.#spending.own() - this.#began);
    Atomics.store(this.#words, LAST, this.#spending.all());
    this.#began = undefined;
  }

  /** A state is whole. */
  whole(): void {
    Atomics.store(this.#words, TOOK, Atomics.load(this.#words, SPENT));
  }

  #isDue(): boolean {
    if (this.#spacing === 0) return true;
    const [last = 0, took = 0] = [LAST, TOOK].map((word) => Atomics.load(this.#words, word));
    return this.#spending.all() - last >= Math.max(this.#spacing, SHARE * took);
  }

  #begins(): void {
    Atomics.store(this.#words, SPENT, 0);
    Atomics.store(this.#words, LAST, this.#spending.all());
  }
}
