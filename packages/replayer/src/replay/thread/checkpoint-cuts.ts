// At which cuts of a run again its state is written, where a run index is to have states between the snapshots of its recording (docs/run-index.md, "States in between"). All threads have
// to write at the same cuts, and each comes to them in its own time: who comes to one first decides, and the others find that. So much has been run since the last one then, or more, where
// states take long to be written.
import { nativeFunctionOf } from '@turntable/loader';
import type { CheckpointOptions } from '../replay-request.ts';

/** So many times what its threads spend on a state lies at least between two: with them, and what they cost besides (garbage, the thread that compresses), a run of Acme Air takes half as long again. */
const MIN_SPACING_PER_COST = 0.6;
/** Cuts that are remembered: as far as one thread may be ahead of another, and more than an hour. */
const REMEMBERED_CUTS = 1 << 16;
/** Words before those of the cuts, milliseconds: when something was written last; what has been spent on the last state so far, and on one that is whole. */
const [LAST_WRITTEN, CURRENT_COST, LAST_COST] = [0, 1, 2];
const HEADER_WORDS = 3;

/** What the processor has spent so far, in whole milliseconds. */
export interface CpuTime {
  /** On the process, all its threads together. */
  ofProcess(): number;
  /** On this thread. */
  ofThread(): number;
}

/** The host's own answers: the program's are recorded ones. */
const { cpuUsage, threadCpuUsage } = process;
const readCpuMs = (readUsage: typeof cpuUsage): number => {
  const { user, system } = ((nativeFunctionOf(readUsage) ?? readUsage) as typeof cpuUsage).call(process);
  return Math.round((user + system) / 1000);
};
export const CPU_TIME: CpuTime = { ofProcess: () => readCpuMs(cpuUsage), ofThread: () => readCpuMs(threadCpuUsage) };

export class CheckpointCuts {
  readonly memory: SharedArrayBuffer;
  /** Of a cut: its phase doubled, and one more if its state is wanted. */
  readonly #words: Int32Array;
  readonly #spacingMs: number;
  readonly #recordedPhases: ReadonlySet<number>;
  readonly #cpuTime: CpuTime;
  /** When this thread has begun to write, if it does. */
  #writeStartMs: number | undefined;

  /**
   * @param recordedPhases phases of the snapshots that there are already
   * @param memory the main thread's; nothing on that one
   */
  constructor(
    { spacingMs }: CheckpointOptions,
    recordedPhases: readonly number[],
    memory?: SharedArrayBuffer,
    cpuTime = CPU_TIME,
  ) {
    this.memory = memory ?? new SharedArrayBuffer(4 * (HEADER_WORDS + REMEMBERED_CUTS));
    this.#words = new Int32Array(this.memory);
    this.#spacingMs = spacingMs;
    this.#recordedPhases = new Set(recordedPhases);
    this.#cpuTime = cpuTime;
  }

  /** Whether a state is to be written at the cut with which a phase begins; this thread is about to. */
  startIfWanted(phase: number): boolean {
    const isWanted = this.#decide(phase);
    if (isWanted) this.#writeStartMs = this.#cpuTime.ofThread();
    return isWanted;
  }

  #decide(phase: number): boolean {
    const words = this.#words;
    const wordIndex = HEADER_WORDS + (phase % REMEMBERED_CUTS);
    for (;;) {
      const decision = Atomics.load(words, wordIndex);
      const decidedPhase = decision >> 1;
      if (decidedPhase === phase) return decision % 2 === 1;
      // Who is so far behind finds none.
      if (decidedPhase > phase) return false;
      const isWanted = !this.#recordedPhases.has(phase) && this.#isDue();
      if (Atomics.compareExchange(words, wordIndex, decision, 2 * phase + (isWanted ? 1 : 0)) !== decision) continue;
      // A process can begin here from now on.
      if (isWanted || this.#recordedPhases.has(phase)) this.#restartCost();
      return isWanted;
    }
  }

  /** This thread has cut, and written what was wanted of it. */
  endCut(): void {
    if (this.#writeStartMs === undefined) return;
    Atomics.add(this.#words, CURRENT_COST, this.#cpuTime.ofThread() - this.#writeStartMs);
    Atomics.store(this.#words, LAST_WRITTEN, this.#cpuTime.ofProcess());
    this.#writeStartMs = undefined;
  }

  /** A state is whole. */
  noteComplete(): void {
    Atomics.store(this.#words, LAST_COST, Atomics.load(this.#words, CURRENT_COST));
  }

  #isDue(): boolean {
    if (this.#spacingMs === 0) return true;
    const [lastWritten = 0, lastCost = 0] = [LAST_WRITTEN, LAST_COST].map((word) => Atomics.load(this.#words, word));
    return this.#cpuTime.ofProcess() - lastWritten >= Math.max(this.#spacingMs, MIN_SPACING_PER_COST * lastCost);
  }

  #restartCost(): void {
    Atomics.store(this.#words, CURRENT_COST, 0);
    Atomics.store(this.#words, LAST_WRITTEN, this.#cpuTime.ofProcess());
  }
}
