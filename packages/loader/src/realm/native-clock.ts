// The clock of `process` as Node has it, for parts of Node that keep it when they are loaded: what they ask later is their own matter, and in no trace.

let native: typeof process.hrtime | undefined;
const KEEPERS: ReadonlySet<string> = new Set(['node:test', 'node:test/reporters']);

/** Before another stands in its place. */
export function keepNativeClock(): void {
  native = process.hrtime;
}

/** @param builtin by its name with `node:` */
export function withNativeClock<T>(builtin: string, load: () => T): T {
  const place = Object.getOwnPropertyDescriptor(process, 'hrtime');
  if (native === undefined || place === undefined || !KEEPERS.has(builtin)) return load();
  Object.defineProperty(process, 'hrtime', { ...place, value: native });
  try {
    return load();
  } finally {
    Object.defineProperty(process, 'hrtime', place);
  }
}
