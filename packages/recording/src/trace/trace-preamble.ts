// What a thread asks before anything of its program is there: what the machine is, and what chance begins with. Who goes on from a snapshot asks it
// again, so every segment of a trace begins with it; who comes from the segment before leaves it out.

import { TRACE_SOURCES } from '../trace-sources.ts';
import type { TraceEvent, TraceSink, TraceValue } from './trace-events.ts';

function isPreambleOutcome(source: number, value: TraceValue): boolean {
  return (
    source === TRACE_SOURCES.seed || (source === TRACE_SOURCES.machine && Array.isArray(value) && value[0] === 'start')
  );
}

export function isPreambleEvent(event: TraceEvent): boolean {
  return event.type === 'outcome' && isPreambleOutcome(event.source, event.value);
}

/** As one thread has asked it. */
export class TracePreamble {
  readonly #outcomes: (readonly [source: number, value: TraceValue])[] = [];
  #isComplete = false;

  /** Told of all that is asked, in its order. */
  note(source: number, value: TraceValue): void {
    if (this.#isComplete) return;
    if (isPreambleOutcome(source, value)) this.#outcomes.push([source, value]);
    else this.#isComplete = true;
  }

  writeTo(writeOutcome: TraceSink['writeOutcome']): void {
    for (const [source, value] of this.#outcomes) writeOutcome(source, value);
  }
}
