// Outcomes that a thread requests before its program starts: properties of the machine and seeds of randomness. Every
// segment starts with them, for a replay from a snapshot; a reader that continues from the previous segment skips them.

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

/** Notes the preamble of one thread, and writes it to the start of each segment. */
export class TracePreamble {
  readonly #outcomes: (readonly [source: number, value: TraceValue])[] = [];
  #isComplete = false;

  /** Notes an outcome. Must be called for each one, in order. */
  note(source: number, value: TraceValue): void {
    if (this.#isComplete) return;
    if (isPreambleOutcome(source, value)) this.#outcomes.push([source, value]);
    else this.#isComplete = true;
  }

  writeTo(writeOutcome: TraceSink['writeOutcome']): void {
    for (const [source, value] of this.#outcomes) writeOutcome(source, value);
  }
}
