// Which workers took the places of others, and in which order: each says of its birth, at the beginning of its trace, how many had ended by then.
import { RecordingError, type Recording } from '@turntable/recording';
import type { Succession } from '@turntable/runtime';

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
  try {
    const trace = recording.trace(worker, life);
    try {
      for (let { next } = trace; next !== undefined && trace.taken < EARLIEST; { next } = trace) {
        if (next.what === 'happened' && next.kind === 'born')
          return (next.value as { readonly losses?: number }).losses;
        trace.take();
      }
    } finally {
      trace.close();
    }
  } catch (error) {
    // What is damaged stops the run where it is met.
    if (!(error instanceof RecordingError)) throw error;
  }
  return undefined;
}
