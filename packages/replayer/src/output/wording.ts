// Words for counts and sizes.

/** Plural of a phrase whose first word is the noun: `class of actors`. */
export function plural(phrase: string): string {
  return phrase.replace(/^\w+/, (noun) => (/(?:[sx]|ch)$/.test(noun) ? `${noun}es` : `${noun}s`));
}

export function formatCount(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : plural(noun)}`;
}

export function formatSize(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  let unit = 0;
  let size = bytes;
  for (; size >= 1000 && unit < units.length - 1; unit++) size /= 1000;
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
