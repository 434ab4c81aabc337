// Reads from the traces which workers replaced lost workers, and in which order. The start event of a worker has the
// number of workers that had ended before.
import type { Recording } from '@turntable/recording';
import type { WorkerReplacement } from '@turntable/runtime';
import { readTraceEvents } from '../../trace/trace-events.ts';

/** Maximum number of events before a worker's start event. In these events the worker reads facts about its machine. */
const MAX_EVENTS_BEFORE_START = 8;

/** Replacements in order; workers without a start event are left out. */
export function readWorkerReplacements(recording: Recording): WorkerReplacement[] {
  return recording
    .traces()
    .flatMap(({ worker, epoch }) => {
      const losses = epoch === 0 ? undefined : lossesBefore(recording, worker, epoch);
      return losses === undefined ? [] : [{ worker, epoch, losses }];
    })
    .toSorted((left, right) => left.losses - right.losses);
}

function lossesBefore(recording: Recording, worker: number, epoch: number): number | undefined {
  for (const { event, ordinal } of readTraceEvents(recording, { worker, epoch })) {
    if (event.type === 'scheduler' && event.kind === 'worker-start')
      return (event.value as { readonly losses?: number }).losses;
    if (ordinal === MAX_EVENTS_BEFORE_START) break;
  }
  return undefined;
}
