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
  /**
   * Nothing is written down, until some cut: what is told meanwhile is lost, and who would have to work for it need not tell it. What a state has
   * must be there all the same.
   */
  readonly isResting: boolean;
  /** The program has asked `source` (a number of the trace's sources), and this is the answer. Within a turn or an entry. */
  outcome(source: number, value: TapeValue): void;
  /**
   * Native code is about to call the program: to be called before anything of the program runs, with nothing of it on the stack. `id`: which of
   * the source's callbacks, in numbers that the source gives in an order that a run again repeats.
   */
  entry(source: number, id: number, value?: TapeValue): void;
}

/** Does what an entry does: calls the program as native code did. False: what is to be called is not there yet, and nothing has been done. */
export type PerformEntry = (id: number, value: TapeValue) => boolean | void;

/**
 * An entry came in the same turn of Node's as what the program did before, or neither it nor what comes behind it did; undefined where that is not
 * known.
 */
export type Chaining = 'chained' | 'apart' | undefined;

/** Where Node calls from. */
export type CalledFrom = 'macrotask' | 'microtask';

/** What was written down runs again. Nothing is asked of the outside, nothing is armed there, nobody else calls the program. */
export interface TapePlayer {
  readonly isReplay: true;
  /** What runs is whoever looks on: nothing is answered. */
  readonly isApart?: boolean;
  /**
   * The answer that stands next, which is `source`'s. If something else stands there the run has diverged: throws, and so does whatever is asked
   * afterwards. Where the trace stops nothing is answered: the thread waits for its end, or on the main thread, this throws. `asked`: what the program asks
   * for, in words, for who is told of a run that differs.
   */
  outcome(source: number, asked?: () => string): TapeValue;
  /** The answer that stands next, if it is `source`'s; it stays there. */
  peek(source: number): TapeValue;
  /**
   * What performs the entries of a source, each at its position. Before the first of them can be due. `from`: whether Node called what it calls
   * from its loop, or from its microtask queue: then jobs that it makes come before ticks, which are run when that queue is empty.
   */
  on(
    source: number,
    perform: PerformEntry,
    from?: (value: TapeValue) => CalledFrom,
    chaining?: (value: TapeValue) => Chaining,
  ): void;
  /**
   * The program has done by itself what the entry does that stands next, if it stands at this position, is `source`'s and `isIt`: nobody performs
   * it any more. Answers what was noted.
   */
  pass(source: number, isIt: (value: TapeValue) => boolean): TapeValue | undefined;
  /** What could not be performed may be there now. */
  wake(): void;
  /** The program does not ask what it asked: throws, with what is expected and what is instead, and the run ends there. */
  diverge(expected: string, actual: string): never;
}

/** The positions of entries, as a realm counts them. */
export interface Steps {
  /** Ticks that were run and drains of the job queue that had something to do, so far. To be set where a state goes on. */
  steps: number;
  /** Whether a tick or a job waits. */
  isLeft(): boolean;
  /** `before` is called before each step from now on, with nothing of the program on the stack; `isTick`: the step is a tick. */
  beforeSteps(before: ((isTick: boolean) => void) | undefined): void;
  /** Runs jobs until none is left. */
  drain(): void;
  /**
   * As the host calls from its loop, where nobody's code runs and nothing is stored: a run again calls from wherever it has come to, which may be an
   * actor's turn.
   */
  atRest(run: () => void): void;
}

export type Tape = (TapeRecorder | TapePlayer) & {
  /** By the realm, once, when it is made. */
  attach(steps: Steps): void;
};
