// The name of a thread of a replay.

export interface ThreadName {
  readonly worker: number;
  /** Number of threads that have run the worker before this one. */
  readonly epoch: number;
}

export const MAIN_THREAD: ThreadName = { worker: 0, epoch: 0 };
