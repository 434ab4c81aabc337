// Difference between two states of an actor, part by part.
import type { StateParts } from '../replay-process/protocol.ts';

export interface PartDifference {
  readonly path: string;
  /** Undefined if the state did not have the part, as for `after`. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const EMPTY_STATE: StateParts = { parts: [], isTruncated: false };

/** Changed and removed parts, then new ones. A truncated state may have any part that it does not list. */
export function diffStates(before: StateParts = EMPTY_STATE, after: StateParts = EMPTY_STATE): PartDifference[] {
  const [previousParts, currentParts] = [new Map(before.parts), new Map(after.parts)];
  const differences: PartDifference[] = [];
  for (const [path, text] of previousParts) {
    const value = currentParts.get(path);
    if (value !== text && !(value === undefined && after.isTruncated))
      differences.push({ path, before: text, after: value });
  }
  if (before.isTruncated) return differences;
  for (const [path, text] of currentParts)
    if (!previousParts.has(path)) differences.push({ path, before: undefined, after: text });
  return differences;
}
