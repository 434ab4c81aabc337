// The events of a thread's trace, one after the other, as far as they can be read: what is damaged is told of where it stops a run.
import { RecordingError, type Recording, type TraceEvent } from '@turntable/recording';

export interface OrdinalEvent {
  readonly event: TraceEvent;
  /** From 1. */
  readonly ordinal: number;
  /** That the trace begins with. */
  readonly phase: number;
}

export function* readTraceEvents(
  recording: Recording,
  { worker, epoch }: { readonly worker: number; readonly epoch: number },
  from?: number,
): Generator<OrdinalEvent> {
  try {
    const trace = recording.trace(worker, epoch, from);
    try {
      for (let { next } = trace; next !== undefined; { next } = trace) {
        yield { event: next, ordinal: trace.takenCount + 1, phase: trace.phase };
        trace.take();
      }
    } finally {
      trace.close();
    }
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error;
  }
}
