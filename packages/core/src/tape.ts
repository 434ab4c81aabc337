// The tape of a realm: what the program asks the outside for, and what calls it from there, on its way to a trace or out of one. Who asks and
// who calls (the loader's clocks, timers, imports) sees this and nothing of traces; who keeps traces (the runtime) knows nothing of clocks. A
// realm whose host has no tape is neither recorded nor run again, and nothing is to be paid for that.

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

/** What runs is written down. Nothing here throws or waits, and of values nothing is kept. */
export interface TapeRecorder {
  readonly isReplay: false;
  /** Nothing is recorded until some cut. What costs work need not be told meanwhile; what a state has must be there all the same. */
  readonly isPaused: boolean;
  /** The program has asked `source` (a number of the trace's sources), and this is the answer. Within a turn or an entry. */
  recordOutcome(source: number, value: TapeValue): void;
  /** Before native code calls the program, with nothing of it on the stack. `id`: of the source's callbacks, in an order that a replay repeats. */
  recordEntry(source: number, id: number, value?: TapeValue): void;
}

/** Does what an entry does: calls the program as native code did. False: what is to be called is not there yet, and nothing has been done. */
export type PerformEntry = (id: number, value: TapeValue) => boolean | void;

/** Whether an entry came in the same turn of Node as the event before it, or neither it nor the next event did; undefined if unknown. */
export type EntryChaining = 'chained' | 'apart' | undefined;

/** Where Node calls from. */
export type EntryQueue = 'macrotask' | 'microtask';

/** What was written down runs again. Nothing is asked of the outside, nothing is armed there, nobody else calls the program. */
export interface TapePlayer {
  readonly isReplay: true;
  /** What runs is whoever looks on: nothing is answered. */
  readonly isRunningApart?: boolean;
  /**
   * The next answer. If that is not of `source` the run has diverged: this throws, and so does all that is asked afterwards. Where the trace is cut off the
   * thread waits for its end, or, on the main thread, this throws. `describeRequest`: what the program asks for, in words.
   */
  outcome(source: number, describeRequest?: () => string): TapeValue;
  /** The answer that stands next, if it is `source`'s; it stays there. */
  peek(source: number): TapeValue;
  /** What performs the entries of a source, set before the first is due. `queueOf`: whether Node calls from its loop, or its microtask queue, with jobs before ticks. */
  setPerformer(
    source: number,
    perform: PerformEntry,
    queueOf?: (value: TapeValue) => EntryQueue,
    chainingOf?: (value: TapeValue) => EntryChaining,
  ): void;
  /** The program has done by itself what the next entry does, if that is here, of `source`, and `isExpected`: it is not performed again. Answers its value. */
  skipEntry(source: number, isExpected: (value: TapeValue) => boolean): TapeValue | undefined;
  /** What could not be performed may be there now. */
  wake(): void;
  /** The program does not ask what it asked: throws, with what is expected and what is instead, and the run ends there. */
  diverge(expected: string, actual: string): never;
}

/** The positions of entries, as a realm counts them. */
export interface StepCounter {
  /** Ticks that were run and drains of the job queue that had something to do, so far. To be set where a state goes on. */
  steps: number;
  /** Whether a tick or a job waits. */
  hasWork(): boolean;
  /** `listener` is called before each step from now on, with nothing of the program on the stack; `isTick`: the step is a tick. */
  onBeforeStep(listener: ((isTick: boolean) => void) | undefined): void;
  /** Runs jobs until none is left. */
  drain(): void;
  /** Calls as the host does from its loop, in the root context: a replay may be in an actor's turn. */
  runInRootContext(run: () => void): void;
}

export type Tape = (TapeRecorder | TapePlayer) & {
  /** By the realm, once, when it is made. */
  attach(stepCounter: StepCounter): void;
};
