// What a program of the suite exports, the sizes it is run at, and who may be told that a run is half-way.

import { tell, type FarRef } from 'turntable';

/** Who is told that a run is half-way or, where nothing can be halved, has started up; nobody, in a bench. */
export type Halfway = FarRef<{ reached(): void }> | undefined;

export function tellHalfway(halfway: Halfway): void {
  if (halfway !== undefined) tell(halfway).reached();
}

export interface Problem<Size> {
  /** As in the artifacts of the papers on SOMns, with what is odd about it. */
  readonly paper: Size;
  /** As the suite's authors meant it, where that is something else. */
  readonly corrected?: Size;
  readonly quick: Size;
  /** For tests. */
  readonly small: Size;
}

export interface SavinaProgram<Size, Result> {
  readonly problem: Problem<Size>;
  run(size: Size, halfway?: Halfway): Promise<Result>;
  /** Whether the result is the one that every schedule must lead to. */
  verify(result: Result, size: Size): boolean;
  /** How many messages a run takes: births, answers and what is sent to the outcome included. */
  messages(size: Size, result: Result): number;
}
