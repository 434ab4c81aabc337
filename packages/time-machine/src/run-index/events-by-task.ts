// Events in the linear order of their tasks. Typed arrays with the row numbers of `RunEventColumns` keep them small,
// since a program may print a million lines. Events of one task keep their order.
import { lowerBound } from '../binary-search.ts';
import type { RunEventColumns } from './thread-task-log.ts';

export class EventsByTask {
  readonly #rows: Uint32Array;
  /** Number of each event's task among all tasks, ascending. */
  readonly #orders: Uint32Array;

  /** @param orderOfRow converts the row of a task into its number among all tasks */
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

  /** Row of an event in the columns. @param index index in the linear order of events, from 0 on */
  row(index: number): number {
    return this.#rows[index] as number;
  }

  /** Number of an event's task among all tasks. */
  order(index: number): number {
    return this.#orders[index] as number;
  }

  /** Range of indexes of the events of a task; `end` is exclusive. */
  rangeOf(order: number): [begin: number, end: number] {
    return [lowerBound(this.#orders, order), lowerBound(this.#orders, order + 1)];
  }
}
