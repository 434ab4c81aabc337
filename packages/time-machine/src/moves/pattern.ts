/** Returns a test for names that match a pattern, in which `*` matches anything. Moves and queries use it. */
export function patternMatcher(pattern: string): (name: string) => boolean {
  const [first = '', ...middle] = pattern.split('*');
  const last = middle.pop();
  if (last === undefined) return (name) => name === first;
  return (name) => {
    if (!name.startsWith(first)) return false;
    let offset = first.length;
    for (const part of middle) {
      const found = name.indexOf(part, offset);
      if (found === -1) return false;
      offset = found + part.length;
    }
    return offset + last.length <= name.length && name.endsWith(last);
  };
}
