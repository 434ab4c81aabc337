// Two states of the same actor, part by part: what is another one, what has come, what has gone.
import type { StateParts } from '../replay-process/protocol.ts';

export interface PartDifference {
  readonly path: string;
  /** Not there where it was not. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const EMPTY_STATE: StateParts = { parts: [], isTruncated: false };

/** In the order of the state before; then what has come. Where one has more parts than are told of, what it has not may be among those. */
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
