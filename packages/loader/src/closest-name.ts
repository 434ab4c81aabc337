// A suggestion for a mistyped name.

/** Maximum number of edits between a mistyped name and a suggestion; one for names of at most four letters. */
const MAX_EDITS = 2;
const SHORT_NAME_LENGTH = 4;
/** Minimum length of a beginning that suggests a name. */
const MIN_PREFIX_LENGTH = 3;

/**
 * The name that `mistyped` is closest to: by inserted, deleted, replaced or exchanged letters, or as the beginning of
 * one name only. Undefined if no name is close.
 */
export function closestName(mistyped: string, names: readonly string[]): string | undefined {
  const typed = mistyped.toLowerCase();
  const [closest] = rankNames(typed, names);
  const maxEdits = typed.length <= SHORT_NAME_LENGTH ? 1 : MAX_EDITS;
  if (closest !== undefined && closest.edits <= maxEdits) return closest.name;
  const continuations = names.filter((name) => name.toLowerCase().startsWith(typed));
  return typed.length >= MIN_PREFIX_LENGTH && continuations.length === 1 ? continuations[0] : undefined;
}

/** The `count` names closest to `mistyped`, however far they are, closest first. */
export function closestNames(mistyped: string, names: readonly string[], count: number): string[] {
  return rankNames(mistyped.toLowerCase(), names)
    .slice(0, count)
    .map(({ name }) => name);
}

function rankNames(typed: string, names: readonly string[]): { readonly name: string; readonly edits: number }[] {
  return names
    .map((name) => ({ name, edits: editDistance(typed, name.toLowerCase()) }))
    .toSorted((a, b) => a.edits - b.edits);
}

/** Damerau-Levenshtein distance in which no letter is edited twice. */
function editDistance(a: string, b: string): number {
  /** Distances of the first `i` letters of `a` to each beginning of `b`, for the last two values of `i`. */
  let beforeLast: readonly number[] = [];
  let last: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          (last[j - 1] ?? 0) + (isSame ? 0 : 1),
          (last[j] ?? 0) + 1,
          (row[j - 1] ?? 0) + 1,
          isExchanged ? (beforeLast[j - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] ?? 0;
}
