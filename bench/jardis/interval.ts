// A snapshot whenever the program has worked for so long: time for which its thread waits does not count.

import { installedLoader } from '@turntable/replayer';
import { threadActors } from '../../packages/replayer/src/thread/thread-actors.ts';

/** Node's own: what the program finds in their places is recorded. */
const { setInterval: nativeSetInterval } = globalThis;
const { threadCpuUsage } = process;
/** Milliseconds between two looks. */
const LOOK = 20;

/** Milliseconds that this thread has worked. */
function worked(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}

/** @param interval in milliseconds */
export function snapshotByWork(interval: number): void {
  let last = worked();
  let isTaking = false;
  const look = async (): Promise<void> => {
    const recorder = threadActors.recorderSoFar;
    if (isTaking || worked() - last < interval || recorder === undefined || installedLoader().program.entry.isAwaited)
      return;
    isTaking = true;
    try {
      await recorder.take();
    } catch (error) {
      process.emitWarning(error as Error);
    } finally {
      // What a snapshot takes is no work of the program's: otherwise one would lead to the next, and the program would never end.
      last = worked();
      isTaking = false;
    }
  };
  nativeSetInterval(() => void look(), LOOK).unref();
}
