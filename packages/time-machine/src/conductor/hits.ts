// All times that a recording comes by its breakpoints, in order, as far as anybody has looked: found by a process that goes through it once and does not stop (`RecordedEngine.search`), and from then on
// looked up, forward and backward. Conditions are evaluated on the way. Who sets another breakpoint begins anew.
import { firstThat } from '../first-from.ts';
import type { RecordedSearch } from '../replay-process/recorded-search.ts';
import { beginOf, comparePositions, type Position } from '../position.ts';

/** Stretches that are gone through before anybody is told, at first; twice as many each time. */
const PIECE = 256;

export class Hits {
  readonly #open: () => RecordedSearch;
  /** Which times count of each place: all, or the so-manieth alone. */
  readonly #times: readonly (number | undefined)[];
  readonly #counts: number[];
  /** How many stretches there are. */
  readonly #count: number;
  #search: RecordedSearch | undefined;
  readonly #known: Position[] = [];
  /** Of which places each of them is. */
  readonly #which: number[][] = [];
  /** All before this stretch are known. */
  #upTo = 1;
  #piece = PIECE;

  constructor(open: () => RecordedSearch, times: readonly (number | undefined)[], count: number) {
    this.#open = open;
    this.#times = times;
    this.#counts = times.map(() => 0);
    this.#count = count;
  }

  async after(from: Position, signal: AbortSignal, progress: (done: number) => void): Promise<Position | undefined> {
    for (;;) {
      const found = this.#known[this.#firstNotBefore({ ...from, statement: from.statement + 1 })];
      if (found !== undefined || this.#upTo > this.#count) return found;
      await this.#goOn(Math.max(this.#upTo, from.order), signal, progress);
      progress(this.#upTo);
    }
  }

  async before(from: Position, signal: AbortSignal, progress: (done: number) => void): Promise<Position | undefined> {
    while (this.#upTo <= Math.min(from.order, this.#count)) {
      await this.#goOn(this.#upTo, signal, progress);
      progress(this.#upTo);
    }
    return this.#known[this.#firstNotBefore(from) - 1];
  }

  /** Of which places a time is that is known. */
  placesAt(position: Position): readonly number[] {
    const at = this.#firstNotBefore(position);
    const known = this.#known[at];
    return known !== undefined && comparePositions(known, position) === 0 ? (this.#which[at] ?? []) : [];
  }

  /** Some more, behind a stretch at least. */
  async #goOn(behind: number, signal: AbortSignal, progress: (done: number) => void): Promise<void> {
    this.#search ??= this.#open();
    this.#search.onProgress = progress;
    const upTo = Math.min(behind + this.#piece, this.#count + 1);
    this.#piece *= 2;
    const hits = await this.#search.upTo(beginOf(upTo), signal);
    for (const { position, place, error } of hits) {
      // Where a condition throws it does not hold.
      if (error !== undefined) continue;
      const count = (this.#counts[place] = (this.#counts[place] ?? 0) + 1);
      const times = this.#times[place];
      const last = this.#known.at(-1);
      const isKnown = last !== undefined && comparePositions(last, position) === 0;
      if (times !== undefined && times !== count) continue;
      if (isKnown) this.#which.at(-1)?.push(place);
      else {
        this.#known.push(position);
        this.#which.push([place]);
      }
    }
    this.#upTo = upTo;
    if (upTo > this.#count) this.close();
  }

  #firstNotBefore(position: Position): number {
    const known = this.#known;
    return firstThat(0, known.length, (at) => comparePositions(known[at] as Position, position) >= 0);
  }

  close(): void {
    this.#search?.close();
    this.#search = undefined;
  }
}
