// What a program of the suite exports, and the sizes it is run at.

export interface Problem<Size> {
  /** As in the artifacts of the papers on SOMns, with what is odd about it. */
  readonly paper: Size;
  /** As the suite's authors meant it, where that is something else. */
  readonly corrected?: Size;
  readonly quick: Size;
  /** For tests. */
  readonly small: Size;
}

export interface Program<Size, Result> {
  readonly problem: Problem<Size>;
  run(size: Size): Promise<Result>;
  /** Whether the result is the one that every schedule must lead to. */
  verify(result: Result, size: Size): boolean;
  /** How many messages a run takes: births, answers and what is sent to the outcome included. */
  messages(size: Size, result: Result): number;
}
