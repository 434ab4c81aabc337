// Marks in the order of their stretches: numbers of rows of `Marks`, and no object for each, since a program may print a million lines.
import { firstFrom } from '../first-from.ts';
import type { Marks } from './thread-notes.ts';

export class MarksByPlace {
  /** Ascending by their places; of one place as they were noted. */
  readonly #rows: Uint32Array;
  /** Of those, in turn. */
  readonly #places: Uint32Array;

  /** @param placeOf of a row of a stretch, from 1 on */
  constructor({ rows }: Marks, placeOf: (row: number) => number) {
    const places = Uint32Array.from(rows.words, placeOf);
    this.#rows = Uint32Array.from(places, (_, i) => i).sort(
      (one, other) => (places[one] as number) - (places[other] as number) || one - other,
    );
    this.#places = this.#rows.map((row) => places[row] as number);
  }

  get length(): number {
    return this.#rows.length;
  }

  /** The so-manieth of all, from 0 on. */
  row(at: number): number {
    return this.#rows[at] as number;
  }

  place(at: number): number {
    return this.#places[at] as number;
  }

  /** Which of them stand at a place: the first, and behind the last. */
  at(place: number): [begin: number, end: number] {
    return [firstFrom(this.#places, place), firstFrom(this.#places, place + 1)];
  }
}
