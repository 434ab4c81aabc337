// The history of visited positions, with back and forward as in a browser.

export interface NavigationHistory {
  readonly positions: readonly string[];
  /** The index of the current position; -1 in an empty history. */
  readonly index: number;
}

export const EMPTY_HISTORY: NavigationHistory = { positions: [], index: -1 };

/** Maximum number of positions kept. */
const MAX_POSITIONS = 200;

/** Adds a position after the current one and drops the positions that were ahead. */
export function visit({ positions, index }: NavigationHistory, position: string): NavigationHistory {
  if (positions[index] === position) return { positions, index };
  const kept = [...positions.slice(0, index + 1), position].slice(-MAX_POSITIONS);
  return { positions: kept, index: kept.length - 1 };
}

/** Returns the history one step on; undefined at its end. @param step -1 for back, 1 for forward */
export function stepHistory({ positions, index }: NavigationHistory, step: -1 | 1): NavigationHistory | undefined {
  const next = index + step;
  return positions[next] === undefined ? undefined : { positions, index: next };
}
