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
const LATER_LOOP = 'after a `for await` whose generator has ended, V8 stops only in a later loop';
/** Ours: the move goes to the handler. */
const HANDLER = 'V8 passes over the handler of an error that the callback of a builtin has thrown';
/** Ours: the move goes into the function that is called first. */
const LATER_CALL = 'V8 of Node 26 enters a later call; not explained yet';

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [
  { seed: 5, line: 181, hit: 1, move: 1, node: 24, reason: LATER_LOOP },
  { seed: 29, line: 499, hit: 1, move: 7, reason: LATER_LOOP },
  { seed: 29, line: 344, hit: 1, move: 4, reason: LATER_LOOP },
  { seed: 23, line: 242, hit: 1, move: 3, node: 26, reason: LATER_CALL },
  { seed: 36, line: 230, hit: 1, move: 2, node: 26, reason: LATER_CALL },
  { seed: 26, line: 8, hit: 3, move: 7, reason: HANDLER },
];
