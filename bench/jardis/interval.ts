// A snapshot whenever the program has worked for so long: time for which its thread waits does not count.

import { installedLoader } from '@turntable/replayer';
import { threadActors } from '../../packages/replayer/src/thread/thread-actors.ts';

/** Node's own: what the program finds in their places is recorded. */
const { setInterval: nativeSetInterval } = globalThis;
const { threadCpuUsage } = process;
/** Milliseconds between two looks. */
const CHECK_INTERVAL_MS = 20;

/** Milliseconds that this thread has worked. */
function cpuTimeMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}

/** @param interval in milliseconds */
export function snapshotByWork(interval: number): void {
  let last = cpuTimeMs();
  let isTaking = false;
  const check = async (): Promise<void> => {
    const recorder = threadActors.existingRecorder;
    if (
      isTaking ||
      cpuTimeMs() - last < interval ||
      recorder === undefined ||
      installedLoader().program.entryPoint.isAwaited
    )
      return;
    isTaking = true;
    try {
      await recorder.takeSnapshot();
    } catch (error) {
      process.emitWarning(error as Error);
    } finally {
      // What a snapshot takes is no work of the program's: otherwise one would lead to the next, and the program would never end.
      last = cpuTimeMs();
      isTaking = false;
    }
  };
  nativeSetInterval(() => void check(), CHECK_INTERVAL_MS).unref();
}
