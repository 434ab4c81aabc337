// Suggestions for a misspelt name.

/** Maximum number of inserted, deleted or replaced letters between a misspelt name and a suggestion. */
const MAX_EDITS = 2;

/** The name closest to `misspelt`; undefined if none is close. */
export function closestName(misspelt: string, names: readonly string[]): string | undefined {
  const [closest] = rankNames(misspelt, names);
  return closest !== undefined && closest.edits <= MAX_EDITS ? closest.name : undefined;
}

/** The `count` names closest to `misspelt`, however far they are, closest first. */
export function closestNames(misspelt: string, names: readonly string[], count: number): string[] {
  return rankNames(misspelt, names)
    .slice(0, count)
    .map(({ name }) => name);
}

function rankNames(misspelt: string, names: readonly string[]): { readonly name: string; readonly edits: number }[] {
  return names
    .map((name) => ({ name, edits: editDistance(misspelt.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits);
}

function editDistance(a: string, b: string): number {
  let distances = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const nextDistances = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaceCost = (distances[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      nextDistances.push(Math.min(replaceCost, (distances[j] ?? 0) + 1, (nextDistances[j - 1] ?? 0) + 1));
    }
    distances = nextDistances;
  }
  return distances[b.length] ?? 0;
}
