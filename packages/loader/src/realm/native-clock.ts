// Node's own `process.hrtime`, for parts of Node that store the function when they are loaded. Their later reads are
// not the program's and are not recorded.

let nativeHrtime: typeof process.hrtime | undefined;
const CLOCK_KEEPERS: ReadonlySet<string> = new Set(['node:test', 'node:test/reporters']);

/** Must be called before `process.hrtime` is replaced. */
export function saveNativeClock(): void {
  nativeHrtime = process.hrtime;
}

/** Runs `load` of a builtin while `process.hrtime` is Node's, if the builtin stores it. @param builtin with `node:` */
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
