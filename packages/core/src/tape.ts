// The port of a realm to its tape: the inputs of a program, on their way into a trace or out of it. The boundary
// (clocks, timers, imports) and the runtime (traces) meet only here: neither knows the other. A realm whose host has no
// tape is neither recorded nor replayed, and must pay nothing for it.

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
  /** True until the cut at which recording starts. Callers may skip expensive records, but must keep state complete. */
  readonly isPaused: boolean;
  /** Records the result of a request. @param source number of the source in the trace */
  recordOutcome(source: number, value: TapeValue): void;
  /** Records a call from native code before it is made. @param id of the source's callback, in the order of a replay */
  recordEntry(source: number, id: number, value?: TapeValue): void;
}

/** Calls the program as native code did. Returns false, without effects, if the callback does not exist yet. */
export type PerformEntry = (id: number, value: TapeValue) => boolean | void;

/** Turn of Node of an entry: shared with the event before, or apart from it and the next; undefined if unknown. */
export type EntryChaining = 'chained' | 'apart' | undefined;

/** Queue of Node from which an entry is called. */
export type EntryQueue = 'macrotask' | 'microtask';

/** Tape of a replay. The program makes no request to the host, arms nothing there, and is called only by the tape. */
export interface TapePlayer {
  readonly isReplay: true;
  /** Whether an observer's code is running, which gets no recorded results. */
  readonly isRunningApart?: boolean;
  /**
   * The next recorded result. If it is not of `source`, the replay has diverged: this throws, and so do all later
   * calls. At the end of a truncated trace a worker blocks, and the main thread throws.
   * @param describeRequest description of the program's request
   */
  outcome(source: number, describeRequest?: () => string): TapeValue;
  /** The next recorded result if it is of `source`, without consuming it. */
  peek(source: number): TapeValue;
  /** Sets the function that performs the entries of a source, before the first is due. */
  setPerformer(
    source: number,
    perform: PerformEntry,
    queueOf?: (value: TapeValue) => EntryQueue,
    chainingOf?: (value: TapeValue) => EntryChaining,
  ): void;
  /** Skips the next entry if it is of `source` and `isExpected`: the program has done the same. Returns its value. */
  skipEntry(source: number, isExpected: (value: TapeValue) => boolean): TapeValue | undefined;
  /** Retries an entry whose callback did not exist. */
  wake(): void;
  /** Ends the replay with a divergence between the recorded and the actual request. */
  diverge(expected: string, actual: string): never;
}

/** Step count of a realm, which determines the positions of entries. */
export interface StepCounter {
  /** Number of ticks, and of drains of the job queue that ran jobs. Set when a state is restored. */
  steps: number;
  /** Whether a tick or a job is queued. */
  hasWork(): boolean;
  /** Calls `listener` before each further step (`isTick`: of the tick queue), without program code on the stack. */
  onBeforeStep(listener: ((isTick: boolean) => void) | undefined): void;
  /** Runs jobs until none is left. */
  drain(): void;
  /** Calls in the root context, as the host does from its loop: a replay may be in an actor's turn. */
  runInRootContext(run: () => void): void;
}

export type Tape = (TapeRecorder | TapePlayer) & {
  /** Called by the realm once, when it is made. */
  attach(stepCounter: StepCounter): void;
};
