/** By what each belongs to, in the order in which these first come. */
export function groupsOf<T>(all: readonly T[], of: (one: T) => string): (readonly [string, readonly T[]])[] {
  const found = new Map<string, T[]>();
  for (const each of all) {
    const key = of(each);
    const those = found.get(key);
    if (those === undefined) found.set(key, [each]);
    else those.push(each);
  }
  return [...found];
}

/** What actors of one class are called, without their numbers. */
export function className(name: string): string {
  return name.replace(/[\s#:._-]*\d+$/, '') || name;
}
