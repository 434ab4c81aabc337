// The clock of `process` as Node has it, for parts of Node that keep it when they are loaded: what they ask later is their own matter, and in no trace.

let nativeHrtime: typeof process.hrtime | undefined;
const CLOCK_KEEPERS: ReadonlySet<string> = new Set(['node:test', 'node:test/reporters']);

/** Before another stands in its place. */
export function saveNativeClock(): void {
  nativeHrtime = process.hrtime;
}

/** @param builtin by its name with `node:` */
export function withNativeClock<T>(builtin: string, load: () => T): T {
  const descriptor = Object.getOwnPropertyDescriptor(process, 'hrtime');
  if (nativeHrtime === undefined || descriptor === undefined || !CLOCK_KEEPERS.has(builtin)) return load();
  Object.defineProperty(process, 'hrtime', { ...descriptor, value: nativeHrtime });
  try {
    return load();
  } finally {
    Object.defineProperty(process, 'hrtime', descriptor);
  }
}
