// What somebody may have meant who has written a name that is none.

/** Letters that may be put in, taken out or replaced. */
const MOST_EDITS = 2;

/** Of the names there are; nothing, if none is close. */
export function closestName(written: string, names: readonly string[]): string | undefined {
  const [closest] = names
    .map((name) => ({ name, edits: editsBetween(written.toLowerCase(), name.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits);
  return closest !== undefined && closest.edits <= MOST_EDITS ? closest.name : undefined;
}

function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
