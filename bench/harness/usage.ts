// What a process tells of what it has used, and how it is asked.

/** Of the pipe by which it tells. */
export const USAGE_DESCRIPTOR = 3;
/** Set in the environment of a process that is to tell. A replay of it has another pipe there. */
export const USAGE_VARIABLE = 'BENCH_USAGE';

/** Milliseconds, and bytes. */
export interface Usage {
  /** Of all threads. */
  readonly cpu: number;
  readonly rss: number;
  /** By how much the event loop of the main thread came too late. */
  readonly delay: { readonly mean: number; readonly p99: number; readonly max: number };
}
