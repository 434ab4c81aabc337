// Outcome of a replay as its process reports it, and the comparison of states, which the parent process adds.

/** Reasons for a stop: ended as recorded; end of the trace; limit reached; divergence; unexpected end of the thread. */
export type WorkerStopReason = 'ended' | 'cut off' | 'until' | 'diverged' | 'failed';

export interface Divergence {
  /** Number of the first differing event among those of its worker, from 1. */
  readonly ordinal: number;
  readonly expected: string;
  readonly actual: string;
  /** Actor and number of the turn. */
  readonly actor?: string | undefined;
  readonly turn?: number | undefined;
  /** Message of the turn, with its sender. */
  readonly message?: { readonly method: string; readonly from: string | undefined } | undefined;
  /** Stack of the running code, as in errors. */
  readonly stack?: string | undefined;
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

/** State of a worker at a cut, compared with the recorded state. */
export interface ComparedCut extends CutKey {
  readonly isSame: boolean;
  /** Digest of the state; left out for a byte-identical part unless it is requested. */
  readonly digest?: string;
}

/** The limit that the replay has reached. */
export interface ReachedEnd {
  readonly worker: number;
  readonly epoch: number;
  readonly events: number;
  readonly turns: number;
  /** Actor of the turn. */
  readonly actor?: string | undefined;
  /** Method of the turn. */
  readonly method?: string | undefined;
  /** Stack of the error at which the replay was to end. */
  readonly error?: string | undefined;
  /** Digests of worker states: of the worker that stopped between two turns, or of all workers of a snapshot. */
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
  /** Epoch of each worker with a part. */
  readonly epochs: Readonly<Record<number, number>>;
}

/** Messages about checkpoints: a worker's part, whose bytes follow; a complete checkpoint; checkpoints to drop. */
export type CheckpointMessage =
  | { readonly checkpointPart: CutKey }
  | { readonly completeCheckpoint: CompleteCheckpoint }
  | { readonly droppedPhases: readonly number[] };

/** Messages of a replaying process, one a line: progress and states any number of times, at last the outcome. */
export type ParentMessage =
  | { readonly progress: ReplayProgress }
  /** Heartbeat of the main thread, repeated while it returns to its event loop. */
  | { readonly pastEnd: PastEndReport }
  | { readonly part: CutKey }
  | CheckpointMessage
  /** The starting state could not be restored. Nothing of the program has run. */
  | { readonly startFailure: string }
  | { readonly outcome: RunOutcome };

/** A thread that has taken the last event of a cut-off trace. `tasks` have begun since. */
export interface PastEndReport extends HungThread, Pick<ReplayedWorker, 'events' | 'messages' | 'turns'> {}

/** A thread that hangs in native code, in the last task or in the one with the last event. */
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
  /** Threads that did not report. */
  readonly missingThreads: readonly string[];
  readonly hungThreads?: readonly HungThread[] | undefined;
  /** Present if the replay had a limit and reached it. */
  readonly reached?: ReachedEnd | undefined;
  /** Duration from the program's first line to the end. */
  readonly milliseconds: number;
}

/** The outcome without comparisons, which the replaying process does not make. */
export type RunOutcome = Omit<ReplayOutcome, 'cuts' | 'uncomparedReasons'>;

export type Verdict = 'same' | 'truncated' | 'diverged';

/**
 * Verdict about the whole replay. A divergence decides. A worker's cut-off trace means that the worker was lost or the
 * process ended while it was working; the main thread's means that the recording lacks the end.
 *
 * @param isWhole whether a cut-off trace is complete all the same: recording was stopped, or the program killed itself
 */
export function judgeOutcome({ workers, cuts, missingThreads, reached }: ReplayOutcome, isWhole: boolean): Verdict {
  if (
    workers.some(({ stopReason: stop }) => stop === 'diverged' || stop === 'failed') ||
    cuts.some(({ isSame }) => !isSame)
  )
    return 'diverged';
  if (isWhole || reached !== undefined || workers.some(({ stopReason: stop }) => stop === 'until')) return 'same';
  const main = workers.find(({ worker }) => worker === 0);
  return main?.stopReason !== 'ended' || missingThreads.length > 0 ? 'truncated' : 'same';
}

/** @param from the snapshot at which the replay was to start; undefined for the start */
export function startFailureText(from: number | undefined, reason: string): string {
  return from === undefined
    ? `the replay cannot start: ${reason}`
    : `snapshot ${from} cannot be restored here: ${reason}`;
}
