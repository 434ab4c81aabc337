// Statements that somebody has told of who was there: whoever only looks at them need not have their stretches run once more.
import type { Position } from '../position.ts';
import type { StatementPlace } from '../replay-process/protocol.ts';

/** Those that were told of first go first. */
const MOST = 1000;

export class KnownPlaces {
  readonly #places = new Map<string, StatementPlace>();

  know(position: Position, place: StatementPlace): void {
    const key = keyOf(position);
    this.#places.delete(key);
    this.#places.set(key, place);
    const [oldest] = this.#places.keys();
    if (this.#places.size > MOST && oldest !== undefined) this.#places.delete(oldest);
  }

  at(position: Position): StatementPlace | undefined {
    return this.#places.get(keyOf(position));
  }
}

function keyOf({ order, list, statement }: Position): string {
  return `${order}:${list}.${statement}`;
}
