// Reads from the traces which workers replaced lost workers, and in which order.
import type { Recording } from '@turntable/recording';
import type { WorkerReplacement } from '@turntable/runtime';

/** Returns the replacements in the order in which they started. */
export function readWorkerReplacements(recording: Recording): WorkerReplacement[] {
  return recording
    .traces()
    .flatMap(({ worker, epoch }) => {
      if (epoch === 0) return [];
      const trace = recording.trace(worker, epoch);
      trace.close();
      const { earlierLosses } = trace;
      return earlierLosses === undefined ? [] : [{ worker, epoch, earlierLosses }];
    })
    .toSorted((one, other) => one.earlierLosses - other.earlierLosses);
}
