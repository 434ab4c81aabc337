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
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: second.length + 1 }, (_, i) => i);
  for (let i = 1; i <= first.length; i++) {
    const current = [i];
    for (let j = 1; j <= second.length; j++) {
      const cost = first[i - 1] === second[j - 1] ? 0 : 1;
      let distance = Math.min(at(previous, j) + 1, at(current, j - 1) + 1, at(previous, j - 1) + cost);
      if (i > 1 && j > 1 && first[i - 1] === second[j - 2] && first[i - 2] === second[j - 1])
        distance = Math.min(distance, at(beforePrevious, j - 2) + 1);
      current[j] = distance;
    }
    [beforePrevious, previous] = [previous, current];
  }
  return at(previous, second.length);
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? Infinity;
}
