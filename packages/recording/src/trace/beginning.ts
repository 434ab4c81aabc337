// What a thread asks before anything of its program is there: what the machine is, and what chance begins with. Who goes on from a snapshot asks it
// again, so every segment of a trace begins with it; who comes from the segment before leaves it out.

import { SOURCES } from '../trace-sources.ts';
import type { TraceEvent, TraceValue } from './events.ts';

export function isOfBeginning(source: number, value: TraceValue): boolean {
  return source === SOURCES.seed || (source === SOURCES.machine && Array.isArray(value) && value[0] === 'start');
}

export function isBeginning(event: TraceEvent): boolean {
  return event.what === 'outcome' && isOfBeginning(event.source, event.value);
}
