// The events of a thread's trace, one after the other, as far as they can be read: what is damaged is told of where it stops a run.
import { RecordingError, type Recording, type TraceEvent } from '@turntable/recording';

export interface EventIn {
  readonly event: TraceEvent;
  /** From 1. */
  readonly ordinal: number;
  /** That the trace begins with. */
  readonly phase: number;
}

export function* eventsIn(
  recording: Recording,
  { worker, life }: { readonly worker: number; readonly life: number },
  from?: number,
): Generator<EventIn> {
  try {
    const trace = recording.trace(worker, life, from);
    try {
      for (let { next } = trace; next !== undefined; { next } = trace) {
        yield { event: next, ordinal: trace.taken + 1, phase: trace.phase };
        trace.take();
      }
    } finally {
      trace.close();
    }
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
  }
}
