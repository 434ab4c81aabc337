// Which workers took the places of others, and in which order: each says of its birth, at the beginning of its trace, how many had ended by then.
import type { Recording } from '@turntable/recording';
import type { Succession } from '@turntable/runtime';
import { eventsIn } from '../../trace/events-in.ts';

/** Before its birth a worker is told which machine it is on, and little more. */
const EARLIEST = 8;

/** In their order; those of which nothing is known are left out. */
export function successionsIn(recording: Recording): Succession[] {
  return recording
    .traces()
    .flatMap(({ worker, life }) => {
      const losses = life === 0 ? undefined : lossesBefore(recording, worker, life);
      return losses === undefined ? [] : [{ worker, life, losses }];
    })
    .toSorted((one, other) => one.losses - other.losses);
}

function lossesBefore(recording: Recording, worker: number, life: number): number | undefined {
  for (const { event, ordinal } of eventsIn(recording, { worker, life })) {
    if (event.what === 'happened' && event.kind === 'born') return (event.value as { readonly losses?: number }).losses;
    if (ordinal === EARLIEST) break;
  }
  return undefined;
}
