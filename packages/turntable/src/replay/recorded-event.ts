// What stands in a recording where a run again differs: the event in words, as it is shown where traces are.
import { DeviceWords } from '@turntable/loader/inert';
import { RecordingError, SOURCES, type Recording, type TraceEvent } from '@turntable/recording';
import { eventName } from '../trace/event-line.ts';

/** Of a source whose events have more to say than whose they are. */
const WORDED: ReadonlySet<number> = new Set([SOURCES.device, SOURCES.settled, SOURCES.machine, SOURCES.process]);

/** Nothing, where the trace is over or there is no more to say of the event. @param ordinal as of a divergence */
export function recordedEvent(
  recording: Recording,
  { worker, life, ordinal }: { readonly worker: number; readonly life: number; readonly ordinal: number },
  from: number | undefined,
): string | undefined {
  try {
    const entry = recording.traces().find((each) => each.worker === worker && each.life === life);
    if (entry === undefined) return undefined;
    const phase = from !== undefined && entry.phases.includes(from) ? from : undefined;
    const trace = recording.trace(worker, life, phase);
    try {
      const words = new DeviceWords(trace.phase === 0);
      for (let { next } = trace; next !== undefined; { next } = trace) {
        if (trace.taken + 1 === ordinal) return isWorded(next) ? eventName(next, words) : undefined;
        if (isWorded(next)) eventName(next, words);
        trace.take();
      }
    } finally {
      trace.close();
    }
  } catch (error) {
    // What is damaged has stopped the run.
    if (!(error instanceof RecordingError)) throw error;
  }
  return undefined;
}

function isWorded(event: TraceEvent): boolean {
  return (event.what === 'outcome' || event.what === 'entry') && WORDED.has(event.source);
}
