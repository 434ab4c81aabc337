// Finds the word that a mistyped word probably means.

/** The candidate nearest to a word; undefined if none is near. */
export function nearestWord(word: string, candidates: readonly string[]): string | undefined {
  const maxDistance = word.length <= 4 ? 1 : 2;
  let [best, bestDistance]: [string | undefined, number] = [undefined, maxDistance + 1];
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Number of inserted, deleted, replaced and swapped characters between two words. */
function editDistance(first: string, second: string): number {
  // One row for each prefix of the first word, with the distances to the prefixes of the second one.
  const rows: number[][] = [Array.from({ length: second.length + 1 }, (_, i) => i)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= first.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= second.length; j++) {
      const cost = first[i - 1] === second[j - 1] ? 0 : 1;
      const isSwap = first[i - 1] === second[j - 2] && first[i - 2] === second[j - 1];
      row.push(
        Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost, isSwap ? at(i - 2, j - 2) + 1 : Infinity),
      );
    }
  }
  return at(first.length, second.length);
}
