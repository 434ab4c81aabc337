// Events in the linear order of their tasks: row numbers of `RunEventColumns` in typed arrays, since a program may
// print a million lines. Events of one task keep their order.
import { lowerBound } from '../binary-search.ts';
import type { RunEventColumns } from './thread-task-log.ts';

export class EventsByTask {
  readonly #rows: Uint32Array;
  /** The task of each event, ascending. */
  readonly #orders: Uint32Array;

  /** @param orderOfRow number of a task among all, by its row */
  constructor({ rows }: RunEventColumns, orderOfRow: (row: number) => number) {
    const orders = Uint32Array.from(rows.words, orderOfRow);
    this.#rows = Uint32Array.from(orders, (_, i) => i).sort(
      (first, second) => (orders[first] as number) - (orders[second] as number) || first - second,
    );
    this.#orders = this.#rows.map((row) => orders[row] as number);
  }

  get length(): number {
    return this.#rows.length;
  }

  /** Row of an event. @param index from 0 on, as for `order` */
  row(index: number): number {
    return this.#rows[index] as number;
  }

  /** The task of an event. */
  order(index: number): number {
    return this.#orders[index] as number;
  }

  /** Indexes of the events of a task; `end` is exclusive. */
  rangeOf(order: number): [begin: number, end: number] {
    return [lowerBound(this.#orders, order), lowerBound(this.#orders, order + 1)];
  }
}
