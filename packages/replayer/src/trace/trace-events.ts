// Reads the events of a thread's trace up to its first damage, which only a replay reports.
import { RecordingError, type Recording, type TraceEvent } from '@turntable/recording';

export interface OrdinalEvent {
  readonly event: TraceEvent;
  /** Number of the event, from 1. */
  readonly ordinal: number;
  /** Phase of the event's segment. */
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
