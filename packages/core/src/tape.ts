// The port of a realm to its tape, which writes the inputs of a program to a trace, or reads them from one. The
// boundary (clocks, timers, imports) and the runtime (traces) meet only here, and do not know each other. A realm whose
// host has no tape is neither recorded nor replayed, and must pay nothing for it.

/** Plain data, as traces keep it. */
export type TapeValue =
  | undefined
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly TapeValue[]
  | { readonly [key: string]: TapeValue };

/** Tape of a recorded run. Its methods never throw or wait, and keep no references to values. */
export interface TapeRecorder {
  readonly isReplay: false;
  /**
   * Whether recording has not started yet, at its cut. Expensive records may be skipped, but state must be complete.
   */
  readonly isPaused: boolean;
  /** Records the result of a request. @param source number of the source in the trace */
  recordOutcome(source: number, value: TapeValue): void;
  /** Records a call from native code before the call. @param id number of the callback, the same in a replay */
  recordEntry(source: number, id: number, value?: TapeValue): void;
}

/** Calls the program as native code did. False, without effects, if the callback does not exist yet. */
export type PerformEntry = (id: number, value: TapeValue) => boolean | void;

/** Whether an entry is in the same turn of Node as the event before it, or in its own; undefined if unknown. */
export type EntryChaining = 'chained' | 'apart' | undefined;

/** Queue of Node from which an entry was called. */
export type EntryQueue = 'macrotask' | 'microtask';

/** Tape of a replay. The program makes no host calls and starts no timers; only the tape calls it. */
export interface TapePlayer {
  readonly isReplay: true;
  /** Whether the code of an observer is running. Such code gets no recorded results. */
  readonly isRunningApart?: boolean;
  /**
   * Consumes and returns the next recorded result. If this is not a result of `source`, the replay has diverged, and
   * this call and all later ones throw. At the end of a truncated trace a worker blocks, and the main thread throws.
   * @param describeRequest description of the program's request, for the divergence
   */
  outcome(source: number, describeRequest?: () => string): TapeValue;
  /** The next recorded result, without consuming it; undefined if it is not of `source`. */
  peek(source: number): TapeValue;
  /** Sets the function that performs the entries of a source. Must be set before the first entry is due. */
  setPerformer(
    source: number,
    perform: PerformEntry,
    queueOf?: (value: TapeValue) => EntryQueue,
    chainingOf?: (value: TapeValue) => EntryChaining,
  ): void;
  /** Skips an entry that the program has performed itself: the next one, if it is of `source` and `isExpected`. */
  skipEntry(source: number, isExpected: (value: TapeValue) => boolean): TapeValue | undefined;
  /** Tries again to perform an entry whose callback did not exist before. */
  wake(): void;
  /** Ends the replay with a divergence between the recorded and the actual request. */
  diverge(expected: string, actual: string): never;
}

/** Step count of a realm, which determines the positions of entries. */
export interface StepCounter {
  /** Number of ticks, and of drains that ran jobs. A restore sets it. */
  steps: number;
  /** Whether a tick or a job is queued. */
  hasWork(): boolean;
  /** Calls `listener` before each further tick (`isTick`) or drain, without program code on the stack. */
  onBeforeStep(listener: ((isTick: boolean) => void) | undefined): void;
  /** Drains the job queue. */
  drain(): void;
  /** Calls `run` in the root context, as the host does from its event loop. A replay may be in an actor's turn. */
  runInRootContext(run: () => void): void;
}

export type Tape = (TapeRecorder | TapePlayer) & {
  /**
   * Notes what the program prints to standard output (1) or standard error (2). A replay must print the same between
   * two events. @param output a text is printed in UTF-8
   */
  noteOutput(stream: number, output: string | Uint8Array): void;
  /** Connects the tape with a realm. The realm calls it once, when it is made. */
  attach(stepCounter: StepCounter): void;
};
