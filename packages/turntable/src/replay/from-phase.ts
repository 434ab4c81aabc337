// A worker's trace from a snapshot on. What a thread asks before anything of a program is loaded, and what it is told that it is, stands at the
// beginning of its life: it is asked again where it goes on, and answered as it was.
import { SOURCES, type Recording, type TraceEvent, type TraceReader, type TraceSource } from '@turntable/recording';

/** At most so many stand there. */
const MOST = 16;

export class TraceFromPhase implements TraceSource {
  readonly #first: TraceEvent[];
  readonly #rest: TraceReader;
  #taken = 0;

  constructor(first: readonly TraceEvent[], rest: TraceReader) {
    this.#first = [...first];
    this.#rest = rest;
  }

  get next(): TraceEvent | undefined {
    return this.#first[0] ?? this.#rest.next;
  }

  get taken(): number {
    return this.#taken + this.#rest.taken;
  }

  get end(): 'ended' | 'cut off' {
    return this.#rest.end;
  }

  take(): void {
    if (this.#first.shift() === undefined) this.#rest.take();
    else this.#taken++;
  }
}

/** The first events of a life: what the machine is, what chance begins with, in which phase it is born. */
export function firstEvents(recording: Recording, worker: number, life: number, phase: number): TraceEvent[] {
  const trace = recording.trace(worker, life);
  const events: TraceEvent[] = [];
  for (let { next } = trace; next !== undefined && events.length < MOST && isFirst(next); { next } = trace) {
    events.push(bornIn(next, phase));
    trace.take();
  }
  trace.close();
  return events;
}

function isFirst(event: TraceEvent): boolean {
  if (event.what === 'outcome') return isOfStart(event.source, event.value);
  return event.what === 'happened' && event.kind === 'born';
}

function isOfStart(source: number, value: unknown): boolean {
  if (source === SOURCES.seed) return true;
  const [what] = Array.isArray(value) ? (value as unknown[]) : [];
  return source === SOURCES.machine && what === 'start';
}

function bornIn(event: TraceEvent, phase: number): TraceEvent {
  if (event.what !== 'happened') return event;
  return { ...event, value: { ...(event.value as object), phase } };
}
