// Source locations of statements that a search has reported, so that they can be shown without tracing their tasks.
import type { Position } from '../position.ts';
import type { StatementLocation } from '../replay-process/task-trace.ts';

/** Maximum number of locations. Beyond it, the oldest are dropped. */
const MAX_LOCATIONS = 1000;

export class LocationCache {
  readonly #locations = new Map<string, StatementLocation>();

  set(position: Position, location: StatementLocation): void {
    const key = keyOf(position);
    this.#locations.delete(key);
    this.#locations.set(key, location);
    const [oldest] = this.#locations.keys();
    if (this.#locations.size > MAX_LOCATIONS && oldest !== undefined) this.#locations.delete(oldest);
  }

  get(position: Position): StatementLocation | undefined {
    return this.#locations.get(keyOf(position));
  }
}

function keyOf({ order, list, statement }: Position): string {
  return `${order}:${list}.${statement}`;
}
