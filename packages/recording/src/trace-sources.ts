// Sources of recorded values and host callbacks. The numbers are part of the format: add new ones at the end and never
// reuse one. A separate entry point (`@turntable/recording/sources`), so that recorded threads load nothing else of the
// package.

export const TRACE_SOURCES = {
  /** `Date.now()`, `new Date()`: whole milliseconds. */
  date: 1,
  /** `performance.now()`: milliseconds. */
  performance: 2,
  /** `process.hrtime.bigint()`: nanoseconds. */
  hrtime: 3,
  /** The seed of `Math.random()`: eight bytes of each half of its state. */
  seed: 4,
  /** Bytes of `node:crypto`, `crypto.getRandomValues` and values derived from them. */
  randomness: 5,
  /** Facts about machine, process and engine: a list of query and answer. */
  machine: 6,
  /** A timeout, an interval, an immediate. */
  timer: 7,
  /** An `import()` that has ended. */
  import: 8,
  /** A native promise that settles an eventual of the program. */
  promise: 9,
  /** An event of `process`: `beforeExit`, signals, warnings. */
  process: 10,
  /** Requests to Turntable itself: stats, snapshots. */
  app: 11,
  /** The read at which a `WeakRef` was found empty; a finalization callback. */
  collector: 12,
  /** A host call or a host callback. */
  device: 13,
  /** A settled promise of the host. */
  settled: 14,
} as const;

/** The kind of the event at a cut point: a phase without a snapshot or a segment. Its value is the phase. */
export const CUT_POINT_KIND = 'cut';

const SOURCE_NAMES = new Map<number, string>(Object.entries(TRACE_SOURCES).map(([name, number]) => [number, name]));

/** For any number: later versions may have more. */
export function traceSourceName(source: number): string {
  return SOURCE_NAMES.get(source) ?? `source ${source}`;
}
