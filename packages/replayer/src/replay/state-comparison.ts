// The states that workers have at the cuts of a run again beside those that the recording has of them: in the process that has started it, so that
// they are compared while it goes on.
import { RecordingError, type Recording } from '@turntable/recording';
import { STATE_PART } from '../recorder/part-feed.ts';
import type { ComparedCut, CutKey, RunOutcome, ReplayOutcome } from './replay-outcome.ts';

export class StateComparison {
  readonly #recording: Recording;
  readonly #cuts: ComparedCut[] = [];
  readonly #uncomparedReasons: Set<string> = new Set();
  /** The phase of which all digests are wanted. */
  readonly #reportedPhase: number | undefined;

  /** @param from the snapshot that the run begins with, if it does with one */
  constructor(recording: Recording, from: number | undefined, reportedPhase: number | undefined) {
    this.#recording = recording;
    this.#reportedPhase = reportedPhase;
    // Whoever looks for snapshots finds what is damaged of them.
    recording.snapshots();
    for (const { phase, error } of recording.damagedSnapshots)
      if (phase > (from ?? 0)) this.#uncomparedReasons.add(error.message);
  }

  get cuts(): readonly ComparedCut[] {
    return this.#cuts;
  }

  /** What came of the run, with what was compared; the states of the snapshot with which it was to end. */
  completeOutcome(outcome: RunOutcome): ReplayOutcome {
    const { reached } = outcome;
    const comparedOutcome = { ...outcome, cuts: this.#cuts, uncomparedReasons: [...this.#uncomparedReasons] };
    if (reached === undefined || this.#reportedPhase === undefined) return comparedOutcome;
    const states = this.#cuts.flatMap(({ phase, worker, digest }) =>
      phase === this.#reportedPhase && digest !== undefined ? [[worker, digest] as const] : [],
    );
    return { ...comparedOutcome, reached: { ...reached, stateDigests: states } };
  }

  /** `bytes`: the worker's part of that snapshot in the run again. What the recording does not have is not compared. */
  async compare({ phase, worker }: CutKey, bytes: Uint8Array): Promise<void> {
    const recorded = this.#readRecordedPart(phase, worker);
    if (recorded === undefined) return;
    // What is written alike says the same; what is not may say it in another order.
    const hasSameBytes = Buffer.compare(bytes, recorded) === 0;
    if (hasSameBytes && phase !== this.#reportedPhase) return void this.#cuts.push({ phase, worker, isSame: true });
    // What reads states is not loaded before there is one to be read.
    const { digestPart } = await import('./part-digest.ts');
    const digest = digestPart(bytes);
    this.#cuts.push({ phase, worker, isSame: hasSameBytes || digest === digestPart(recorded), digest });
  }

  #readRecordedPart(phase: number, worker: number): Uint8Array | undefined {
    try {
      using snapshot = this.#recording.readSnapshot(phase);
      return snapshot.workers.includes(worker) ? snapshot.part(worker, STATE_PART).read() : undefined;
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      // It may have been given up, or deleted to make room.
      if (error.code !== 'TT_RECORDING_MISSING') this.#uncomparedReasons.add(error.message);
      return undefined;
    }
  }
}
