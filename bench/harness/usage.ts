// Resource usage of a process, and how a bench requests it.

/** File descriptor of the pipe for requests and reports. */
export const USAGE_DESCRIPTOR = 3;
/** Environment variable that turns reporting on. In a replay this descriptor is another pipe. */
export const USAGE_VARIABLE = 'BENCH_USAGE';

/** Usage in milliseconds and bytes. */
export interface Usage {
  /** CPU time of all threads. */
  readonly cpu: number;
  readonly rss: number;
  /** Lateness of the main thread's event loop. */
  readonly delay: { readonly mean: number; readonly p99: number; readonly max: number };
}
