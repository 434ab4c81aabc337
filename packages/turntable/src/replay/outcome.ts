// What came of a run again, as the process that ran it says it.

/** Why a worker has stopped: its trace says that it ended, its trace goes no further, it did something else. */
export type Stop = 'ended' | 'cut off' | 'diverged' | 'failed';

export interface Divergence {
  /** Of the first event that differs, among those of its worker, from 1 on. */
  readonly ordinal: number;
  readonly expected: string;
  readonly actual: string;
  /** Whose turn it was, and which. */
  readonly actor?: string | undefined;
  readonly turn?: number | undefined;
  /** Of the code that was running, as an error has it. */
  readonly stack?: string | undefined;
}

export interface ReplayedWorker {
  readonly worker: number;
  /** How many have had its number before. */
  readonly life: number;
  readonly stop: Stop;
  readonly events: number;
  readonly turns: number;
  /** Taken from other workers. */
  readonly messages: number;
  readonly divergence?: Divergence | undefined;
}

/** The state of a worker at a cut, beside the one that the recording has. */
export interface ComparedCut {
  readonly phase: number;
  readonly worker: number;
  readonly isSame: boolean;
}

export interface ReplayOutcome {
  readonly workers: readonly ReplayedWorker[];
  readonly cuts: readonly ComparedCut[];
  /** From the program's first line to the end. */
  readonly milliseconds: number;
}

export type Verdict = 'same' | 'truncated' | 'diverged';

/** One that differs decides, then one that is not whole. */
export function verdictOf({ workers, cuts }: ReplayOutcome): Verdict {
  if (workers.some(({ stop }) => stop === 'diverged' || stop === 'failed') || cuts.some(({ isSame }) => !isSame))
    return 'diverged';
  return workers.some(({ stop }) => stop === 'cut off') ? 'truncated' : 'same';
}
