// Moves that lead elsewhere than V8's, each with its reason. A test fails if one of them no longer differs, so the list
// only shrinks.

export interface KnownDifference {
  readonly seed: number;
  readonly line: number;
  readonly hit: number;
  /** Number of the move, counted from 1. The walk ends there. */
  readonly move: number;
  readonly reason: string;
  /** Major version of Node, if the others do not differ. */
  readonly node?: number;
}

/** Ours: the move goes to the statement after the loop. */
const LATER_STATEMENT = 'after a `for await` whose generator has ended, V8 does not stop at the next statement';
/** Ours: the move goes to the handler, or to what awaits the promise that handles the error. */
const HANDLER = 'V8 passes over the code that handles an error which the function throws';
/** Ours: the move goes into the function that is called first. */
const LATER_CALL = 'V8 of Node 26 enters a later call, or none; not explained yet';

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  { seed: 5, line: 181, hit: 1, move: 1, node: 24, reason: LATER_STATEMENT },
  { seed: 29, line: 499, hit: 1, move: 7, reason: LATER_STATEMENT },
  { seed: 29, line: 344, hit: 1, move: 4, reason: LATER_STATEMENT },
  { seed: 63, line: 276, hit: 1, move: 6, reason: LATER_STATEMENT },
  { seed: 26, line: 8, hit: 3, move: 7, reason: HANDLER },
  { seed: 62, line: 14, hit: 1, move: 7, reason: HANDLER },
  { seed: 68, line: 15, hit: 1, move: 3, reason: HANDLER },
  { seed: 23, line: 242, hit: 1, move: 3, node: 26, reason: LATER_CALL },
  { seed: 36, line: 230, hit: 1, move: 2, node: 26, reason: LATER_CALL },
  { seed: 70, line: 479, hit: 1, move: 6, node: 26, reason: LATER_CALL },
  { seed: 77, line: 141, hit: 1, move: 6, node: 26, reason: LATER_CALL },
];
