// Who in the outside a value or a call comes from. Numbers are part of the format: new ones are added at the end, none is used again. A door of
// its own (`@turntable/recording/sources`): threads that ask know these, and load nothing else of the package.

export const TRACE_SOURCES = {
  /** `Date.now()`, `new Date()`: whole milliseconds. */
  date: 1,
  /** `performance.now()`: milliseconds. */
  performance: 2,
  /** `process.hrtime.bigint()`: nanoseconds. */
  hrtime: 3,
  /** What begins the sequence of `Math.random()`: eight bytes of each half of its state. */
  seed: 4,
  /** Bytes of `node:crypto`, `crypto.getRandomValues` and what is made of them. */
  randomness: 5,
  /** What the machine, the process and the engine say of themselves: a list of what was asked and the answer. */
  machine: 6,
  /** A timeout, an interval, an immediate. */
  timer: 7,
  /** An `import()` that has ended. */
  import: 8,
  /** A native promise that settles something of the program's. */
  promise: 9,
  /** An event of `process`: `beforeExit`, signals, warnings. */
  process: 10,
  /** Turntable itself was asked: stats, snapshots. */
  app: 11,
  /** A `WeakRef` whose target is gone: which look for one it was. An object's end that the program is told of. */
  collector: 12,
  /** Something of the host: what was asked of it, whom it calls. */
  device: 13,
  /** A promise of the host that has settled. */
  settled: 14,
} as const;

/** The kind of what has happened where a phase has begun without a snapshot, and with it without a segment: its value is the phase. */
export const CUT_POINT_KIND = 'cut';

const SOURCE_NAMES = new Map<number, string>(Object.entries(TRACE_SOURCES).map(([name, number]) => [number, name]));

/** Of any number: a later version may know more. */
export function traceSourceName(source: number): string {
  return SOURCE_NAMES.get(source) ?? `source ${source}`;
}
