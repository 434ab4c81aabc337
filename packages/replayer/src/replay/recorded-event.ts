// What stands in a recording where a run again differs: the event in words, as it is shown where traces are.
import { DeviceWords } from '@turntable/boundary/inert';
import { SOURCES, type Recording, type TraceEntry, type TraceEvent } from '@turntable/recording';
import { eventName } from '../trace/event-line.ts';
import { eventsIn } from '../trace/events-in.ts';

/** Of a source whose events have more to say than whose they are. */
const WORDED: ReadonlySet<number> = new Set([SOURCES.device, SOURCES.settled, SOURCES.machine, SOURCES.process]);

/** Nothing, where the trace is over or there is no more to say of the event. @param ordinal as of a divergence */
export function recordedEvent(
  recording: Recording,
  { worker, life, ordinal }: { readonly worker: number; readonly life: number; readonly ordinal: number },
  from: number | undefined,
): string | undefined {
  const entry = recording.traces().find((each) => each.worker === worker && each.life === life);
  if (entry === undefined) return undefined;
  let words: DeviceWords | undefined;
  for (const { event, ordinal: at, phase } of eventsIn(recording, entry, phaseIn(entry, from))) {
    words ??= new DeviceWords(phase === 0);
    const name = isWorded(event) ? eventName(event, words) : undefined;
    if (at === ordinal) return name;
  }
  return undefined;
}

function phaseIn({ phases }: TraceEntry, from: number | undefined): number | undefined {
  return from !== undefined && phases.includes(from) ? from : undefined;
}

function isWorded(event: TraceEvent): boolean {
  return (event.what === 'outcome' || event.what === 'entry') && WORDED.has(event.source);
}
