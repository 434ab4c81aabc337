// Lines of an edited file in the text that was recorded: the line with the same text, in the most similar surroundings.

/** Number of lines before and after a line that are compared. */
const SURROUNDINGS = 5;

/**
 * Returns the number of a line of `current` in `recorded`, from 1 on; undefined if no line has its text. For an empty
 * line, the next line with a text counts, as for a breakpoint.
 */
export function matchLine(current: readonly string[], recorded: readonly string[], line: number): number | undefined {
  const index = current.findIndex((text, i) => i >= line - 1 && text.trim() !== '');
  const text = current[index]?.trim();
  if (text === undefined) return undefined;
  let best: { readonly index: number; readonly score: number } | undefined;
  for (const [i, each] of recorded.entries()) {
    if (each.trim() !== text) continue;
    const score = similarity(current, index, recorded, i);
    const isNearer = best !== undefined && Math.abs(i - index) < Math.abs(best.index - index);
    if (best === undefined || score > best.score || (score === best.score && isNearer)) best = { index: i, score };
  }
  return best && best.index + 1;
}

/** Number of equal lines around two lines, at the same distances. */
function similarity(a: readonly string[], indexInA: number, b: readonly string[], indexInB: number): number {
  let count = 0;
  for (let offset = -SURROUNDINGS; offset <= SURROUNDINGS; offset++) {
    const text = a[indexInA + offset]?.trim();
    if (text !== undefined && text === b[indexInB + offset]?.trim()) count++;
  }
  return count;
}
