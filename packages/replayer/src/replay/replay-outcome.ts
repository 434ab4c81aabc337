// Outcome of a replay: the reports of its process, and the comparison of states that the parent process adds.
import type { SnapshotEpochs } from '../restore/snapshot-epochs.ts';

/** Why a worker stopped: end as recorded, end of a cut-off trace, limit, divergence, or failure of the thread. */
export type WorkerStopReason = 'ended' | 'cut off' | 'until' | 'diverged' | 'failed';

export interface Divergence {
  /** Number of the first differing event in the trace of its worker, from 1. */
  readonly ordinal: number;
  readonly expected: string;
  readonly actual: string;
  /** Name of the actor whose turn was running, and number of the turn. */
  readonly actor?: string | undefined;
  readonly turn?: number | undefined;
  /** Message of the turn, with its sender. */
  readonly message?: { readonly method: string; readonly from: string | undefined } | undefined;
  /** Stack of the running code, as in errors. */
  readonly stack?: string | undefined;
  /** Whether the event is the same, but not the output before it. */
  readonly isInOutput?: boolean | undefined;
}

export interface ReplayedWorker {
  readonly worker: number;
  /** Number of earlier workers with the same number. */
  readonly epoch: number;
  readonly stopReason: WorkerStopReason;
  readonly events: number;
  readonly turns: number;
  /** Messages taken from other workers. */
  readonly messages: number;
  readonly divergence?: Divergence | undefined;
  /** Digest of the state, if the worker stopped at a limit between two turns. */
  readonly stateDigest?: string | undefined;
  /** The error with which the thread ended, if it reported one. */
  readonly failure?: string | undefined;
  /** Number of the first event before which code that may have changed printed something else. */
  readonly otherOutputAt?: number | undefined;
  /** The damage at which the trace ends, if it is not just cut off. */
  readonly damage?: string | undefined;
}

/** Key of a worker's thread in one epoch. */
export function threadKeyOf({ worker, epoch }: Pick<ReplayedWorker, 'worker' | 'epoch'>): string {
  return `${worker} ${epoch}`;
}

export interface CutKey {
  readonly phase: number;
  readonly worker: number;
}

/** Comparison of a worker's state at a cut with the recorded state. */
export interface ComparedCut extends CutKey {
  readonly isSame: boolean;
  /** Digest of the state; left out for a byte-identical part unless it is requested. */
  readonly digest?: string;
}

/** Position at which the replay reached its limit. */
export interface ReachedEnd {
  readonly worker: number;
  readonly epoch: number;
  readonly events: number;
  readonly turns: number;
  /** Actor of the turn that reached the limit. */
  readonly actor?: string | undefined;
  /** Method of the turn that reached the limit. */
  readonly method?: string | undefined;
  /** Stack of the error, if the limit is an error. */
  readonly error?: string | undefined;
  /** State digests: of the worker that stopped between two turns, or of all workers at a snapshot. */
  readonly stateDigests: readonly (readonly [worker: number, state: string])[];
}

/** Progress of the main thread. */
export interface ReplayProgress {
  readonly events: number;
  /** Number of states to compare. */
  readonly totalStates: number;
}

/** A checkpoint: the state of all workers at a cut without a recorded snapshot. */
export interface CompleteCheckpoint {
  readonly phase: number;
  readonly epochs: SnapshotEpochs;
}

/** Messages about checkpoints: a worker's part, followed by its bytes; a complete checkpoint; checkpoints to drop. */
export type CheckpointMessage =
  | { readonly checkpointPart: CutKey }
  | { readonly completeCheckpoint: CompleteCheckpoint }
  | { readonly droppedPhases: readonly number[] };

/** Messages of a replaying process, one per line. The outcome is the last one. */
export type ParentMessage =
  | { readonly progress: ReplayProgress }
  /** Heartbeat of a main thread that is past its last event. Missing while native code blocks the event loop. */
  | { readonly pastEnd: PastEndReport }
  | { readonly part: CutKey }
  | CheckpointMessage
  /** The starting state could not be restored. Nothing of the program has run. */
  | { readonly startFailure: string }
  | { readonly outcome: RunOutcome };

/** A thread that has taken the last event of a cut-off trace. `tasks` counts the tasks that it has started since. */
export interface PastEndReport extends HungThread, Pick<ReplayedWorker, 'events' | 'messages' | 'turns'> {}

/** A thread that hangs in native code, in its last task. `tasks` counts as in `PastEndReport`. */
export interface HungThread extends Pick<ReplayedWorker, 'worker' | 'epoch'> {
  readonly tasks: number;
}

export function toHungThread({ worker, epoch, tasks }: PastEndReport): HungThread {
  return { worker, epoch, tasks };
}

export interface ReplayOutcome {
  readonly workers: readonly ReplayedWorker[];
  readonly cuts: readonly ComparedCut[];
  /** Reasons why recorded states could not be compared. */
  readonly uncomparedReasons: readonly string[];
  /** Keys (see `threadKeyOf`) of the expected threads that did not report their end. */
  readonly missingThreads: readonly string[];
  readonly hungThreads?: readonly HungThread[] | undefined;
  /** Present if the replay had a limit and reached it. */
  readonly reached?: ReachedEnd | undefined;
  /** Duration from the program's first line to the end. */
  readonly milliseconds: number;
}

/** The outcome as the replaying process reports it, without comparisons. */
export type RunOutcome = Omit<ReplayOutcome, 'cuts' | 'uncomparedReasons'>;

/** @param from the snapshot from which the replay should have started; undefined for the start of the recording */
export function startFailureText(from: number | undefined, reason: string): string {
  return from === undefined
    ? `the replay cannot start: ${reason}`
    : `snapshot ${from} cannot be restored here: ${reason}`;
}
