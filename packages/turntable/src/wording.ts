// Numbers of things, in words.

/** Of what begins with a noun: `class of actors`. */
export function plural(what: string): string {
  return what.replace(/^\w+/, (noun) => (/[sx]$/.test(noun) ? `${noun}es` : `${noun}s`));
}

export function counted(count: number, what: string): string {
  return `${count} ${count === 1 ? what : plural(what)}`;
}
