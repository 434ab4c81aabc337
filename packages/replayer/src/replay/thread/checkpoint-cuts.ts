// Decides at which cuts a run index build writes checkpoints (docs/internals/run-index.md). All threads must write at the same
// cuts, but they reach a cut at different times: the first one decides, the others read its decision from shared
// memory. Checkpoints have at least the requested spacing, more if they are slow to write.
import { nativeFunctionOf } from '@turntable/loader';
import type { CheckpointOptions } from '../replay-request.ts';

/**
 * Minimum spacing as a multiple of the processor time for one checkpoint, all threads together. Including collection and
 * compression, checkpoints make a replay of Acme Air take 1.5 times as long.
 */
const MIN_SPACING_PER_COST = 0.6;
/** Number of cuts whose decision is kept, more than an hour of them. A thread that is further behind writes none. */
const REMEMBERED_CUTS = 1 << 16;
/** Header words, in ms of processor time: time of the last write, cost of the current and of the last checkpoint. */
const [LAST_WRITTEN, CURRENT_COST, LAST_COST] = [0, 1, 2];
const HEADER_WORDS = 3;

/** Clock of processor time, in whole milliseconds. */
export interface CpuTime {
  /** Of the process, all threads together. */
  ofProcess(): number;
  ofThread(): number;
}

/** Node's own functions, because the program's versions return recorded values. */
const { cpuUsage, threadCpuUsage } = process;
const readCpuMs = (readUsage: typeof cpuUsage): number => {
  const { user, system } = ((nativeFunctionOf(readUsage) ?? readUsage) as typeof cpuUsage).call(process);
  return Math.round((user + system) / 1000);
};
export const CPU_TIME: CpuTime = { ofProcess: () => readCpuMs(cpuUsage), ofThread: () => readCpuMs(threadCpuUsage) };

export class CheckpointCuts {
  readonly memory: SharedArrayBuffer;
  /** Header, then one word for each cut: twice its phase, plus one if a checkpoint is wanted. */
  readonly #words: Int32Array;
  readonly #spacingMs: number;
  readonly #recordedPhases: ReadonlySet<number>;
  readonly #cpuTime: CpuTime;
  /** Processor time at which this thread began to write its part; undefined while it writes none. */
  #writeStartMs: number | undefined;

  /**
   * @param recordedPhases phases of the recording's snapshots
   * @param memory shared memory that the main thread created; undefined on the main thread
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

  /** Whether the cut that begins the phase is a checkpoint. Must be called before this thread cuts. */
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
      // The decision has been overwritten: this thread is too far behind.
      if (decidedPhase > phase) return false;
      const isWanted = !this.#recordedPhases.has(phase) && this.#isDue();
      if (Atomics.compareExchange(words, wordIndex, decision, 2 * phase + (isWanted ? 1 : 0)) !== decision) continue;
      // A snapshot or checkpoint at this cut restarts the spacing.
      if (isWanted || this.#recordedPhases.has(phase)) this.#restartCost();
      return isWanted;
    }
  }

  /** Must be called when this thread has cut and has written its part, if one was wanted. */
  endCut(): void {
    if (this.#writeStartMs === undefined) return;
    Atomics.add(this.#words, CURRENT_COST, this.#cpuTime.ofThread() - this.#writeStartMs);
    Atomics.store(this.#words, LAST_WRITTEN, this.#cpuTime.ofProcess());
    this.#writeStartMs = undefined;
  }

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
