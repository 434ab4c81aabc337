// Difference between two states of an actor, part by part.
import type { StateParts } from '../replay-process/actor-states.ts';

export interface PartDifference {
  readonly path: string;
  /** Text of the part in the earlier state; undefined if it has no such part. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const EMPTY_STATE: StateParts = { parts: [], isTruncated: false };

/** Changed and removed parts, followed by new ones. Parts that a truncated state does not list are not compared. */
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
