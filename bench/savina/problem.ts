// The interface of a program of the suite, its sizes, and the notification that a run is half-way.

import { tell, type FarRef } from 'turntable';

/** Receives a message when a run is half-way, or has started if it cannot be halved; undefined in a bench. */
export type Halfway = FarRef<{ reached(): void }> | undefined;

export function tellHalfway(halfway: Halfway): void {
  if (halfway !== undefined) tell(halfway).reached();
}

export interface Problem<Size> {
  /** Size in the artifacts of the papers on SOMns, oddities included. */
  readonly paper: Size;
  /** Size that the suite's authors intended, if it differs. */
  readonly corrected?: Size;
  readonly quick: Size;
  /** Size for tests. */
  readonly small: Size;
}

export interface SavinaProgram<Size, Result> {
  readonly problem: Problem<Size>;
  run(size: Size, halfway?: Halfway): Promise<Result>;
  /** Whether the result is what every schedule must give. */
  verify(result: Result, size: Size): boolean;
  /** Number of messages of a run, including creations, answers and messages to the result cell. */
  messages(size: Size, result: Result): number;
}
