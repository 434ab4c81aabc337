// The states that workers have at the cuts of a run again beside those that the recording has of them: in the process that has started it, so that
// they are compared while it goes on.
import { RecordingError, type Recording } from '@turntable/recording';
import { PART } from '../recorder/part-feed.ts';
import type { ComparedCut, CutOf, RunOutcome, ReplayOutcome } from './outcome.ts';

export class ComparedStates {
  readonly #recording: Recording;
  readonly #cuts: ComparedCut[] = [];
  readonly #uncompared: Set<string> = new Set();
  /** The phase of which all digests are wanted. */
  readonly #shown: number | undefined;

  /** @param from the snapshot that the run begins with, if it does with one */
  constructor(recording: Recording, from: number | undefined, shown: number | undefined) {
    this.#recording = recording;
    this.#shown = shown;
    // Whoever looks for snapshots finds what is damaged of them.
    recording.snapshots();
    for (const { phase, error } of recording.damage) if (phase > (from ?? 0)) this.#uncompared.add(error.message);
  }

  get cuts(): readonly ComparedCut[] {
    return this.#cuts;
  }

  /** What came of the run, with what was compared; the states of the snapshot with which it was to end. */
  of(outcome: RunOutcome): ReplayOutcome {
    const { reached } = outcome;
    const compared = { ...outcome, cuts: this.#cuts, uncompared: [...this.#uncompared] };
    if (reached === undefined || this.#shown === undefined) return compared;
    const states = this.#cuts.flatMap(({ phase, worker, state }) =>
      phase === this.#shown && state !== undefined ? [[worker, state] as const] : [],
    );
    return { ...compared, reached: { ...reached, states } };
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
      if (!(error instanceof RecordingError)) throw error;
      // It may have been given up, or deleted to make room.
      if (error.code !== 'TT_RECORDING_MISSING') this.#uncompared.add(error.message);
      return undefined;
    }
  }
}
