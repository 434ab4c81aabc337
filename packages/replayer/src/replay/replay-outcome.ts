// What came of a run again, as the process that ran it says it, and how its states compare, which the one that has started it finds out.

/**
 * Why a worker has stopped: it has ended as it did; its trace goes no further; it was to go no further; it did something else; its thread has
 * ended by itself.
 */
export type WorkerStopReason = 'ended' | 'cut off' | 'until' | 'diverged' | 'failed';

export interface Divergence {
  /** Of the first event that differs, among those of its worker, from 1 on. */
  readonly ordinal: number;
  readonly expected: string;
  readonly actual: string;
  /** Whose turn it was, and which. */
  readonly actor?: string | undefined;
  readonly turn?: number | undefined;
  /** What the turn is about, and who has asked for it. */
  readonly message?: { readonly method: string; readonly from: string | undefined } | undefined;
  /** Of the code that was running, as an error has it. */
  readonly stack?: string | undefined;
}

export interface ReplayedWorker {
  readonly worker: number;
  /** How many have had its number before. */
  readonly epoch: number;
  readonly stopReason: WorkerStopReason;
  readonly events: number;
  readonly turns: number;
  /** Taken from other workers. */
  readonly messages: number;
  readonly divergence?: Divergence | undefined;
  /** Digest of what it is, if it was to go no further and stopped between two turns. */
  readonly stateDigest?: string | undefined;
  /** Why its thread has ended, if it has said so. */
  readonly failure?: string | undefined;
  /** Why its trace can be read no further, if it is not just cut off. */
  readonly damage?: string | undefined;
}

/** Of a thread in one of its lives. */
export function threadKeyOf({ worker, epoch }: Pick<ReplayedWorker, 'worker' | 'epoch'>): string {
  return `${worker} ${epoch}`;
}

export interface CutKey {
  readonly phase: number;
  readonly worker: number;
}

/** The state of a worker at a cut, beside the one that the recording has. */
export interface ComparedCut extends CutKey {
  readonly isSame: boolean;
  /** Its digest; not of one that is written as the recorded one is, unless it is wanted. */
  readonly digest?: string;
}

/** Where a run again was to end, and did. */
export interface ReachedEnd {
  readonly worker: number;
  readonly epoch: number;
  readonly events: number;
  readonly turns: number;
  /** Whose turn it was. */
  readonly actor?: string | undefined;
  /** What it was about. */
  readonly method?: string | undefined;
  /** The error that it was to end with, as its stack says it. */
  readonly error?: string | undefined;
  /** Digests of what workers are there; of the one that ends between two turns, or of all of a snapshot. */
  readonly stateDigests: readonly (readonly [worker: number, state: string])[];
}

/** How far the main thread has come. */
export interface ReplayProgress {
  readonly events: number;
  /** So many states there are to be compared. */
  readonly totalStates: number;
}

/** A state of all workers at a cut, of which the recording has no snapshot. */
export interface CompleteCheckpoint {
  readonly phase: number;
  /** Of each worker that has a part in it. */
  readonly epochs: Readonly<Record<number, number>>;
}

/** Of states that are to be kept: a worker's part, with its bytes behind it; all parts of one are there; some are to be kept no longer. */
export type CheckpointMessage =
  | { readonly checkpointPart: CutKey }
  | { readonly completeCheckpoint: CompleteCheckpoint }
  | { readonly droppedPhases: readonly number[] };

/** What the process that runs it says, a line each: how far it is and the state of a worker at a cut, any number of times; at last, what came of it. */
export type ParentMessage =
  | { readonly progress: ReplayProgress }
  /** Of the main thread: said again and again as long as it comes back from what it is at. */
  | { readonly pastEnd: PastEndReport }
  | { readonly part: CutKey }
  | CheckpointMessage
  /** What it was to begin with cannot be put back, and why: nothing of the program has run. */
  | { readonly startFailure: string }
  | { readonly outcome: RunOutcome };

/** A thread that has taken the last event of a trace that was cut off, and has begun so many tasks since. */
export interface PastEndReport extends HungThread, Pick<ReplayedWorker, 'events' | 'messages' | 'turns'> {}

/** One that does not come back from the last of them, or from the one in which that event was: from native code. */
export interface HungThread extends Pick<ReplayedWorker, 'worker' | 'epoch'> {
  readonly tasks: number;
}

export function toHungThread({ worker, epoch, tasks }: PastEndReport): HungThread {
  return { worker, epoch, tasks };
}

export interface ReplayOutcome {
  readonly workers: readonly ReplayedWorker[];
  readonly cuts: readonly ComparedCut[];
  /** Why states that the recording should have could not be compared. */
  readonly uncomparedReasons: readonly string[];
  /** Workers, with their lives, of which nothing was heard. */
  readonly missingThreads: readonly string[];
  readonly hungThreads?: readonly HungThread[] | undefined;
  /** If it was to be. */
  readonly reached?: ReachedEnd | undefined;
  /** From the program's first line to the end. */
  readonly milliseconds: number;
}

/** The same, as the process says it that ran it, which compares nothing. */
export type RunOutcome = Omit<ReplayOutcome, 'cuts' | 'uncomparedReasons'>;

export type Verdict = 'same' | 'truncated' | 'diverged';

/**
 * @param isWhole whether a trace that stops has all the same: its recording was ended while its program went on, or that has ended itself by a signal
 *
 * One that differs decides. A trace of a worker that goes no further says that the worker was lost or the process ended while it was at something; that
 * of the main thread, that the recording does not have the end.
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

/** Of one of which nothing has run. @param from the snapshot that it was to begin with; the start */
export function startFailureText(from: number | undefined, reason: string): string {
  return from === undefined ? `it cannot be begun: ${reason}` : `snapshot ${from} cannot be put back here: ${reason}`;
}
