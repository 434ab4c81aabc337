// Takes a snapshot after each interval of CPU time of the program; time in which its thread waits does not count.

import { installedLoader } from '@turntable/replayer';
import { threadActors } from '../../packages/replayer/src/thread/thread-actors.ts';

/** Node's own functions: the program's are recorded. */
const { setInterval: nativeSetInterval } = globalThis;
const { threadCpuUsage } = process;
/** Milliseconds between two checks. */
const CHECK_INTERVAL_MS = 20;

/** CPU time of this thread in milliseconds. */
function cpuTimeMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1000;
}

/** @param interval milliseconds of CPU time between snapshots */
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
      // The snapshot's own time does not count; otherwise one snapshot would trigger the next without end.
      last = cpuTimeMs();
      isTaking = false;
    }
  };
  nativeSetInterval(() => void check(), CHECK_INTERVAL_MS).unref();
}
