// Patterns of names, as moves and queries take them.

/** Whether a name is like a pattern, `*` standing for anything. */
export function like(pattern: string): (name: string) => boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return (name) => name === first;
  return (name) => {
    if (!name.startsWith(first)) return false;
    let at = first.length;
    for (const piece of others) {
      const found = name.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return at + last.length <= name.length && name.endsWith(last);
  };
}
