// Sources of outcomes and entries. The numbers are part of the format: new ones are appended and none is reused. This
// module is an entry point (`@turntable/recording/sources`) for threads that need nothing else of the package.

export const TRACE_SOURCES = {
  /** `Date.now()`, `new Date()`: integer milliseconds. */
  date: 1,
  /** `performance.now()`: milliseconds. */
  performance: 2,
  /** `process.hrtime.bigint()`: nanoseconds. */
  hrtime: 3,
  /** Seed of `Math.random()`: the two halves of its state, eight bytes each. */
  seed: 4,
  /** Bytes of `node:crypto`, `crypto.getRandomValues` and their derivatives. */
  randomness: 5,
  /** Properties of the machine, process and engine: a list of a request and its result. */
  machine: 6,
  /** A timeout, an interval, an immediate. */
  timer: 7,
  /** Completion of an `import()`. */
  import: 8,
  /** A native promise that settles an eventual of the program. */
  promise: 9,
  /** An event of `process` (`beforeExit`, `exit`, a signal), or the note that a host listener handles a failure. */
  process: 10,
  /** Requests to Turntable: stats, snapshots. */
  app: 11,
  /** Death of a `WeakRef` target, with the number of the `deref` that noticed it, or of a registered object. */
  collector: 12,
  /** Results and callbacks of host objects. */
  device: 13,
  /** Settlement of a promise of the host. */
  settled: 14,
} as const;

/** Kind of the scheduler event that marks a cut point, where no segment begins. The value of the event is the phase. */
export const CUT_POINT_KIND = 'cut';

const SOURCE_NAMES = new Map<number, string>(Object.entries(TRACE_SOURCES).map(([name, number]) => [number, name]));

/** Description of a program's request to a source. */
export function sourceRequestText(source: number): string {
  return `${source === TRACE_SOURCES.device ? 'uses' : 'reads'} ${traceSourceName(source)}`;
}

/** Returns a name for any number, since later versions may add sources. */
export function traceSourceName(source: number): string {
  return SOURCE_NAMES.get(source) ?? `source ${source}`;
}
