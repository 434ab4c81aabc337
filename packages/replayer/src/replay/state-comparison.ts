// Compares the states of workers at the cuts of a replay with the recorded ones, in the parent process, while the
// replay continues.
import { RecordingError, type Recording } from '@turntable/recording';
import { STATE_PART } from '../recorder/part-feed.ts';
import type { ComparedCut, CutKey, RunOutcome, ReplayOutcome } from './replay-outcome.ts';

export class StateComparison {
  readonly #recording: Recording;
  readonly #cuts: ComparedCut[] = [];
  readonly #uncomparedReasons: Set<string> = new Set();
  /** The phase whose digests are reported even for identical parts. */
  readonly #reportedPhase: number | undefined;

  /** @param from snapshot at which the replay starts, if any */
  constructor(recording: Recording, from: number | undefined, reportedPhase: number | undefined) {
    this.#recording = recording;
    this.#reportedPhase = reportedPhase;
    // Listing the snapshots fills `damagedSnapshots`.
    recording.snapshots();
    for (const { phase, error } of recording.damagedSnapshots)
      if (phase > (from ?? 0)) this.#uncomparedReasons.add(error.message);
  }

  get cuts(): readonly ComparedCut[] {
    return this.#cuts;
  }

  /** Adds the comparisons, and the digests of the reported phase, to the outcome. */
  completeOutcome(outcome: RunOutcome): ReplayOutcome {
    const { reached } = outcome;
    const comparedOutcome = { ...outcome, cuts: this.#cuts, uncomparedReasons: [...this.#uncomparedReasons] };
    if (reached === undefined || this.#reportedPhase === undefined) return comparedOutcome;
    const states = this.#cuts.flatMap(({ phase, worker, digest }) =>
      phase === this.#reportedPhase && digest !== undefined ? [[worker, digest] as const] : [],
    );
    return { ...comparedOutcome, reached: { ...reached, stateDigests: states } };
  }

  /** Compares a part if it was recorded. @param bytes the part that the replay wrote */
  async compare({ phase, worker }: CutKey, bytes: Uint8Array): Promise<void> {
    const recorded = this.#readRecordedPart(phase, worker);
    if (recorded === undefined) return;
    // Different bytes may still be equal states, written in another order.
    const hasSameBytes = Buffer.compare(bytes, recorded) === 0;
    if (hasSameBytes && phase !== this.#reportedPhase) return void this.#cuts.push({ phase, worker, isSame: true });
    // Loaded on demand: most parts are byte-identical.
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
      // A missing snapshot was abandoned or deleted by retention.
      if (error.code !== 'TT_RECORDING_MISSING') this.#uncomparedReasons.add(error.message);
      return undefined;
    }
  }
}
