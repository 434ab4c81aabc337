// The states that workers have at the cuts of a run again beside those that the recording has of them: in the process that has started it, so that
// they are compared while it goes on.
import { RecordingError, type Recording } from '@turntable/recording';
import { PART } from '../part-feed.ts';
import type { ComparedCut, CutOf, ReplayOutcome } from './outcome.ts';

export class ComparedStates {
  readonly #recording: Recording;
  readonly #cuts: ComparedCut[] = [];
  /** The phase of which all digests are wanted. */
  readonly #shown: number | undefined;

  constructor(recording: Recording, shown: number | undefined) {
    this.#recording = recording;
    this.#shown = shown;
  }

  get cuts(): readonly ComparedCut[] {
    return this.#cuts;
  }

  /** What came of the run, with what was compared; the states of the snapshot with which it was to end. */
  of(outcome: Omit<ReplayOutcome, 'cuts'>): ReplayOutcome {
    const { reached } = outcome;
    if (reached === undefined || this.#shown === undefined) return { ...outcome, cuts: this.#cuts };
    const states = this.#cuts.flatMap(({ phase, worker, state }) =>
      phase === this.#shown && state !== undefined ? [[worker, state] as const] : [],
    );
    return { ...outcome, cuts: this.#cuts, reached: { ...reached, states } };
  }

  /** `bytes`: the worker's part of that snapshot in the run again. What the recording does not have is not compared. */
  async compare({ phase, worker }: CutOf, bytes: Uint8Array): Promise<void> {
    const recorded = this.#partOf(phase, worker);
    if (recorded === undefined) return;
    // What is written alike says the same; what is not may say it in another order.
    const isAlike = Buffer.compare(bytes, recorded) === 0;
    if (isAlike && phase !== this.#shown) return void this.#cuts.push({ phase, worker, isSame: true });
    // What reads states is not loaded before there is one to be read.
    const { partDigest } = await import('./part-digest.ts');
    const state = partDigest(bytes);
    this.#cuts.push({ phase, worker, isSame: isAlike || state === partDigest(recorded), state });
  }

  #partOf(phase: number, worker: number): Uint8Array | undefined {
    try {
      using snapshot = this.#recording.readSnapshot(phase);
      return snapshot.workers.includes(worker) ? snapshot.part(worker, PART).read() : undefined;
    } catch (error) {
      // It was given up, deleted, or is damaged.
      if (error instanceof RecordingError) return undefined;
      throw error;
    }
  }
}
