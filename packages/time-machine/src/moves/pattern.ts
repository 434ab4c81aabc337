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

/** Returns a test for texts that contain a text or, if it has a `*`, that match it as a whole. */
export function textMatcher(text: string): (text: string) => boolean {
  return text.includes('*') ? patternMatcher(text) : (each) => each.includes(text);
}

/** Returns a test for texts whose first lines match a text as `textMatcher` says. */
export function firstLineMatcher(text: string): (text: string) => boolean {
  const isMatch = textMatcher(text);
  return (each) => isMatch(firstLineOf(each));
}

export function firstLineOf(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
