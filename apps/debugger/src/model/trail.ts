// Where somebody has been, to go back to and forward again, as in a browser.

export interface Trail {
  readonly places: readonly string[];
  /** Where one stands among them. */
  readonly at: number;
}

export const NOWHERE: Trail = { places: [], at: -1 };

/** Places that are remembered. */
const MOST = 200;

/** One has gone somewhere: what was ahead is forgotten. */
export function gone({ places, at }: Trail, to: string): Trail {
  if (places[at] === to) return { places, at };
  const kept = [...places.slice(0, at + 1), to].slice(-MOST);
  return { places: kept, at: kept.length - 1 };
}

/** @param step -1 back, 1 forward */
export function turned({ places, at }: Trail, step: -1 | 1): Trail | undefined {
  const next = at + step;
  return places[next] === undefined ? undefined : { places, at: next };
}
