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

export const KNOWN_DIFFERENCES: readonly KnownDifference[] = [];
