// Describes the recorded event at which a replay diverged, in the words of `turntable inspect --trace`.
import { DeviceEventText } from '@turntable/boundary/inert';
import { TRACE_SOURCES, type Recording, type TraceEntry, type TraceEvent } from '@turntable/recording';
import { eventName } from '../trace/event-line.ts';
import { readTraceEvents } from '../trace/trace-events.ts';

/** Sources whose events are described in more detail than by the name of the source. */
const DESCRIBED_SOURCES: ReadonlySet<number> = new Set([
  TRACE_SOURCES.device,
  TRACE_SOURCES.settled,
  TRACE_SOURCES.machine,
  TRACE_SOURCES.process,
]);

/**
 * Describes an event. Undefined if the trace ends before the event, or if the event has no details.
 * @param ordinal number of the event, as in a divergence
 */
export function describeRecordedEvent(
  recording: Recording,
  { worker, epoch, ordinal }: { readonly worker: number; readonly epoch: number; readonly ordinal: number },
  from: number | undefined,
): string | undefined {
  const entry = recording.traces().find((each) => each.worker === worker && each.epoch === epoch);
  if (entry === undefined) return undefined;
  let eventText: DeviceEventText | undefined;
  for (const { event, ordinal: eventOrdinal, phase } of readTraceEvents(recording, entry, tracePhase(entry, from))) {
    eventText ??= new DeviceEventText(phase === 0);
    // Every described event is read, since its text may name objects of earlier events.
    const name = isDescribed(event) ? eventName(event, eventText) : undefined;
    if (eventOrdinal === ordinal) return name !== undefined && event.type === 'outcome' ? `the program ${name}` : name;
  }
  return undefined;
}

function tracePhase({ phases }: TraceEntry, from: number | undefined): number | undefined {
  return from !== undefined && phases.includes(from) ? from : undefined;
}

function isDescribed(event: TraceEvent): boolean {
  return (event.type === 'outcome' || event.type === 'entry') && DESCRIBED_SOURCES.has(event.source);
}
