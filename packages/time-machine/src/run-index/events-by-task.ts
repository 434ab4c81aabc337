// Marks in the order of their tasks: numbers of rows of `RunEventColumns`, and no object for each, since a program may print a million lines.
import { lowerBound } from '../binary-search.ts';
import type { RunEventColumns } from './thread-task-log.ts';

export class EventsByTask {
  /** Ascending by their places; of one place as they were noted. */
  readonly #rows: Uint32Array;
  /** Of those, in turn. */
  readonly #orders: Uint32Array;

  /** @param orderOfRow of a row of a task, from 1 on */
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

  /** The so-manieth of all, from 0 on. */
  row(at: number): number {
    return this.#rows[at] as number;
  }

  order(at: number): number {
    return this.#orders[at] as number;
  }

  /** Which of them stand at a place: the first, and behind the last. */
  rangeOf(order: number): [begin: number, end: number] {
    return [lowerBound(this.#orders, order), lowerBound(this.#orders, order + 1)];
  }
}
