// Numbers of things, and how large they are, in words.

/** Of what begins with a noun: `class of actors`. */
export function plural(what: string): string {
  return what.replace(/^\w+/, (noun) => (/(?:[sx]|ch)$/.test(noun) ? `${noun}es` : `${noun}s`));
}

export function counted(count: number, what: string): string {
  return `${count} ${count === 1 ? what : plural(what)}`;
}

export function sizeText(bytes: number): string {
  const units = ['B', 'KB', 'MB', 'GB'];
  let unit = 0;
  let size = bytes;
  for (; size >= 1000 && unit < units.length - 1; unit++) size /= 1000;
  return `${unit === 0 ? size : size.toFixed(1)} ${units[unit]}`;
}
