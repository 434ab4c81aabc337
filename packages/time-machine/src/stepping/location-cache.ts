// Statements that somebody has told of who was there: whoever only looks at them need not have their tasks run once more.
import type { Position } from '../position.ts';
import type { StatementLocation } from '../replay-process/protocol.ts';

/** Those that were told of first go first. */
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
