// What a thread asks before anything of its program is there: what the machine is, and what chance begins with. Who goes on from a snapshot asks it
// again, so every segment of a trace begins with it; who comes from the segment before leaves it out.

import { SOURCES } from '../trace-sources.ts';
import type { TraceEvent, TraceSink, TraceValue } from './events.ts';

function isOfBeginning(source: number, value: TraceValue): boolean {
  return source === SOURCES.seed || (source === SOURCES.machine && Array.isArray(value) && value[0] === 'start');
}

export function isBeginning(event: TraceEvent): boolean {
  return event.what === 'outcome' && isOfBeginning(event.source, event.value);
}

/** As one thread has asked it. */
export class Beginning {
  readonly #asked: (readonly [source: number, value: TraceValue])[] = [];
  #isOver = false;

  /** Told of all that is asked, in its order. */
  note(source: number, value: TraceValue): void {
    if (this.#isOver) return;
    if (isOfBeginning(source, value)) this.#asked.push([source, value]);
    else this.#isOver = true;
  }

  tell(outcome: TraceSink['outcome']): void {
    for (const [source, value] of this.#asked) outcome(source, value);
  }
}
