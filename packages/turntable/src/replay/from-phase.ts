// A worker's trace from a snapshot on. What a thread asks before anything of a program is loaded stands at the beginning of its life: it is asked
// again where it goes on, and answered as it was.
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

/** What the machine is, and what chance begins with. */
export function firstEvents(recording: Recording, worker: number, life: number): TraceEvent[] {
  const trace = recording.trace(worker, life);
  const events: TraceEvent[] = [];
  for (let { next } = trace; next !== undefined && events.length < MOST && isFirst(next); { next } = trace) {
    events.push(next);
    trace.take();
  }
  trace.close();
  return events;
}

function isFirst(event: TraceEvent): boolean {
  if (event.what !== 'outcome') return false;
  const { source, value } = event;
  return source === SOURCES.seed || (source === SOURCES.machine && Array.isArray(value) && value[0] === 'start');
}
