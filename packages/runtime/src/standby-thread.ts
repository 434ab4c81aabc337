// The thread of a worker: whoever begins one before its program is there tells it later what it is.
import { Worker, type MessagePort, type ResourceLimits } from 'node:worker_threads';

/** A thread that stands still until it is told what it is. */
export interface StandbyThread {
  readonly worker: Worker;
  /** What it would have had as its `workerData`. */
  assign(data: object, transfer: readonly MessagePort[]): void;
}

export interface ThreadOptions {
  /** What a worker runs: it calls `serve`. */
  readonly entry: URL;
  readonly resourceLimits?: ResourceLimits;
  /** Environment variables that workers begin with, in addition to those of this thread. */
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
    ...(env === undefined ? {} : { env: { ...process.env, ...env } }),
  });
}
