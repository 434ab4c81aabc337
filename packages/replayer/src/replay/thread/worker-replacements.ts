// Which workers took the places of others, and in which order: each says of its birth, at the beginning of its trace, how many had ended by then.
import type { Recording } from '@turntable/recording';
import type { WorkerReplacement } from '@turntable/runtime';
import { readTraceEvents } from '../../trace/trace-events.ts';

/** Before its birth a worker is told which machine it is on, and little more. */
const MAX_EVENTS_BEFORE_START = 8;

/** In their order; those of which nothing is known are left out. */
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
