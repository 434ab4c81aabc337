// The preamble of a trace: the outcomes of queries that a thread makes before its program, about the machine and random
// seeds. A restored thread makes them again, so every segment starts with them; a reader that continues from a segment
// skips them.

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

/** The preamble of one thread. */
export class TracePreamble {
  readonly #outcomes: (readonly [source: number, value: TraceValue])[] = [];
  #isComplete = false;

  /** Called for each outcome, in order. */
  note(source: number, value: TraceValue): void {
    if (this.#isComplete) return;
    if (isPreambleOutcome(source, value)) this.#outcomes.push([source, value]);
    else this.#isComplete = true;
  }

  writeTo(writeOutcome: TraceSink['writeOutcome']): void {
    for (const [source, value] of this.#outcomes) writeOutcome(source, value);
  }
}
