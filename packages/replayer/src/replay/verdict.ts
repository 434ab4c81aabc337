// The verdicts of a replay and the exit codes of the commands that replay: `replay`, `tasks`, `ls` of one recording.
// docs/guide/replay.md has the same table.
import type { Recording } from '@turntable/recording';
import { readStoppedPhases } from '../recorder/recording-notes.ts';
import type { ReplayOutcome } from './replay-outcome.ts';

/**
 * - `same`: the recording is complete, and the replay was the same in all that was compared
 * - `truncated`: the same up to the end of the recording, whose process was killed
 * - `incomplete`: the same, but parts of the recording are missing, damaged or not compared
 * - `diverged`: the program did something else than recorded
 */
export type Verdict = 'same' | 'truncated' | 'incomplete' | 'diverged';

export const VERDICT_EXIT_CODES: Readonly<Record<Verdict, number>> = {
  same: 0,
  truncated: 0,
  incomplete: 4,
  diverged: 3,
};

/** Exit code if the recording cannot be read or replayed. */
export const UNREADABLE_EXIT_CODE = 1;
/** Exit code with `--strict` if the recording is not complete or not everything was compared. */
const STRICT_EXIT_CODE = VERDICT_EXIT_CODES.diverged;

/** Completeness of a recording, without a replay. */
export interface RecordingCondition {
  /** Whether the recording was ended. */
  readonly isEnded: boolean;
  /** Whether recording was stopped while the program kept running. */
  readonly wasStopped: boolean;
  /** Signal with which the program killed itself. */
  readonly exitSignal: string | null;
  /** Descriptions of missing parts. */
  readonly missingParts: readonly string[];
  /** Sources of output that is neither recorded nor compared. */
  readonly unseenOutput: readonly string[];
}

/** @param from the snapshot at which the replay starts; undefined for the start of the recording */
export function readRecordingCondition(recording: Recording, from: number | undefined): RecordingCondition {
  const { notes, endReason, ended, unseenOutput = [] } = recording.manifest;
  return {
    isEnded: ended !== null,
    wasStopped: readStoppedPhases(notes).some((phase) => phase > (from ?? 0)),
    exitSignal: endReason?.startsWith('SIG') === true ? endReason : null,
    missingParts: recording.missingParts(),
    unseenOutput,
  };
}

/**
 * Verdict about the whole replay. A cut-off trace of the main thread means that the recording lacks the end of the run,
 * unless recording was stopped or the program killed itself. One of a worker does not: the worker was lost, or still
 * working.
 */
export function judgeOutcome(outcome: ReplayOutcome, condition: RecordingCondition): Verdict {
  const { workers, cuts, missingThreads, reached, uncomparedReasons } = outcome;
  const { isEnded, wasStopped, exitSignal, missingParts } = condition;
  if (
    workers.some(({ stopReason }) => stopReason === 'diverged' || stopReason === 'failed') ||
    cuts.some(({ isSame }) => !isSame)
  )
    return 'diverged';
  const isDamaged = workers.some(({ damage }) => damage !== undefined);
  if (isDamaged || uncomparedReasons.length > 0 || missingParts.length > 0) return 'incomplete';
  const hasReachedLimit = reached !== undefined || workers.some(({ stopReason }) => stopReason === 'until');
  if (wasStopped || exitSignal !== null || hasReachedLimit) return 'same';
  const main = workers.find(({ worker }) => worker === 0);
  if (main?.stopReason === 'ended' && missingThreads.length === 0) return 'same';
  return isEnded ? 'incomplete' : 'truncated';
}

/** @param isStrict whether anything that was not recorded or not compared is a failure */
export function exitCodeOf(verdict: Verdict, isStrict = false, unseenOutput: readonly string[] = []): number {
  const isFull = verdict === 'same' && unseenOutput.length === 0;
  return isStrict && !isFull ? STRICT_EXIT_CODE : VERDICT_EXIT_CODES[verdict];
}
