/** Groups items by key, like `Map.groupBy`, which the oldest browsers supported by `build.ts` do not have. */
export function groupBy<T, K>(all: readonly T[], keyOf: (each: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}
