// The history of positions, with back and forward as in a browser.

export interface NavigationHistory {
  readonly positions: readonly string[];
  /** The index of the current position. */
  readonly index: number;
}

export const EMPTY_HISTORY: NavigationHistory = { positions: [], index: -1 };

/** Maximum number of positions. */
const MAX_POSITIONS = 200;

/** Adds a position and drops those ahead. */
export function visit({ positions, index }: NavigationHistory, position: string): NavigationHistory {
  if (positions[index] === position) return { positions, index };
  const kept = [...positions.slice(0, index + 1), position].slice(-MAX_POSITIONS);
  return { positions: kept, index: kept.length - 1 };
}

/** @param step -1 back, 1 forward */
export function stepHistory({ positions, index }: NavigationHistory, step: -1 | 1): NavigationHistory | undefined {
  const next = index + step;
  return positions[next] === undefined ? undefined : { positions, index: next };
}
