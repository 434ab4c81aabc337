// The thread of a worker: whoever begins one before its program is there tells it later what it is.
import { Worker, type MessagePort } from 'node:worker_threads';
import type { AppOptions } from './app.ts';

/** A thread that stands still until it is told what it is. */
export interface BegunThread {
  readonly worker: Worker;
  /** What it would have had as its `workerData`. */
  tell(data: object, transfer: readonly MessagePort[]): void;
}

export function beginThread(
  index: number,
  { entry, resourceLimits, variables }: Pick<AppOptions, 'entry' | 'resourceLimits' | 'variables'>,
  workerData: object,
  transfer: readonly MessagePort[],
): Worker {
  return new Worker(entry, {
    name: `turntable worker ${index}`,
    workerData,
    transferList: [...transfer],
    ...(resourceLimits === undefined ? {} : { resourceLimits }),
    ...(variables === undefined ? {} : { env: { ...process.env, ...variables } }),
  });
}
