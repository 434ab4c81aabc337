// Two states of the same actor, part by part: what is another one, what has come, what has gone.
import type { StateParts } from '../replay-process/protocol.ts';

export interface Different {
  readonly path: string;
  /** Not there where it was not. */
  readonly before: string | undefined;
  readonly after: string | undefined;
}

const NOTHING: StateParts = { parts: [], isCut: false };

/** In the order of the state before; then what has come. Where one has more parts than are told of, what it has not may be among those. */
export function differencesOf(before: StateParts = NOTHING, after: StateParts = NOTHING): Different[] {
  const [was, is] = [new Map(before.parts), new Map(after.parts)];
  const found: Different[] = [];
  for (const [path, text] of was) {
    const now = is.get(path);
    if (now !== text && !(now === undefined && after.isCut)) found.push({ path, before: text, after: now });
  }
  if (before.isCut) return found;
  for (const [path, text] of is) if (!was.has(path)) found.push({ path, before: undefined, after: text });
  return found;
}
