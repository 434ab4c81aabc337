// Threads of workers, and standby threads: started ahead of need, they receive their worker data later.
import { Worker, type MessagePort, type ResourceLimits } from 'node:worker_threads';

/** A started thread that waits for its worker data. */
export interface StandbyThread {
  readonly worker: Worker;
  /** Provides the worker data. */
  assign(data: object, transfer: readonly MessagePort[]): void;
}

export interface ThreadOptions {
  /** Entry module of a worker, which calls `serve`. */
  readonly entry: URL;
  readonly resourceLimits?: ResourceLimits;
  /** Environment variables of workers. Default: a copy of this thread's. */
  readonly env?: Readonly<Record<string, string>>;
}

export function startThread(
  index: number,
  { entry, resourceLimits, env }: ThreadOptions,
  workerData: object,
  transfer: readonly MessagePort[],
): Worker {
  return new Worker(entry, {
    name: `turntable worker ${index}`,
    workerData,
    transferList: [...transfer],
    ...(resourceLimits === undefined ? {} : { resourceLimits }),
    ...(env === undefined ? {} : { env }),
  });
}
