// All times that a recording comes by its breakpoints, in order, as far as anybody has looked: found by a process that goes through it once and does not stop (`ReplayDriver.searchBreakpoints`), and from then on
// looked up, forward and backward. Conditions are evaluated on the way. Who sets another breakpoint begins anew.
import { findFirst } from '../binary-search.ts';
import type { BreakpointSearch } from '../replay-process/breakpoint-search.ts';
import { taskStart, comparePositions, type Position } from '../position.ts';

/** Tasks that are gone through before anybody is told, at first; twice as many each time. */
const FIRST_BATCH_TASKS = 256;

export class BreakpointHitCache {
  readonly #openSearch: () => BreakpointSearch;
  /** Which times count of each place: all, or the so-manieth alone. */
  readonly #hitNumbers: readonly (number | undefined)[];
  readonly #counts: number[];
  /** How many tasks there are. */
  readonly #taskCount: number;
  #search: BreakpointSearch | undefined;
  readonly #positions: Position[] = [];
  /** Of which places each of them is. */
  readonly #breakpoints: number[][] = [];
  /** All before this task are known. */
  #searchedTo = 1;
  #batchTasks = FIRST_BATCH_TASKS;

  constructor(openSearch: () => BreakpointSearch, hitNumbers: readonly (number | undefined)[], count: number) {
    this.#openSearch = openSearch;
    this.#hitNumbers = hitNumbers;
    this.#counts = hitNumbers.map(() => 0);
    this.#taskCount = count;
  }

  async nextAfter(
    from: Position,
    signal: AbortSignal,
    progress: (done: number) => void,
  ): Promise<Position | undefined> {
    for (;;) {
      const found = this.#positions[this.#indexFrom({ ...from, statement: from.statement + 1 })];
      if (found !== undefined || this.#searchedTo > this.#taskCount) return found;
      await this.#extend(Math.max(this.#searchedTo, from.order), signal, progress);
      progress(this.#searchedTo);
    }
  }

  async lastBefore(
    from: Position,
    signal: AbortSignal,
    progress: (done: number) => void,
  ): Promise<Position | undefined> {
    while (this.#searchedTo <= Math.min(from.order, this.#taskCount)) {
      await this.#extend(this.#searchedTo, signal, progress);
      progress(this.#searchedTo);
    }
    return this.#positions[this.#indexFrom(from) - 1];
  }

  /** Of which places a time is that is known. */
  breakpointsAt(position: Position): readonly number[] {
    const at = this.#indexFrom(position);
    const positions = this.#positions[at];
    return positions !== undefined && comparePositions(positions, position) === 0 ? (this.#breakpoints[at] ?? []) : [];
  }

  /** Some more, behind a task at least. */
  async #extend(minOrder: number, signal: AbortSignal, progress: (done: number) => void): Promise<void> {
    this.#search ??= this.#openSearch();
    this.#search.onProgress = progress;
    const upTo = Math.min(minOrder + this.#batchTasks, this.#taskCount + 1);
    this.#batchTasks *= 2;
    const hits = await this.#search.runTo(taskStart(upTo), signal);
    for (const { position, breakpoint, error } of hits) {
      // Where a condition throws it does not hold.
      if (error !== undefined) continue;
      const count = (this.#counts[breakpoint] = (this.#counts[breakpoint] ?? 0) + 1);
      const hitNumbers = this.#hitNumbers[breakpoint];
      const last = this.#positions.at(-1);
      const isSamePosition = last !== undefined && comparePositions(last, position) === 0;
      if (hitNumbers !== undefined && hitNumbers !== count) continue;
      if (isSamePosition) this.#breakpoints.at(-1)?.push(breakpoint);
      else {
        this.#positions.push(position);
        this.#breakpoints.push([breakpoint]);
      }
    }
    this.#searchedTo = upTo;
    if (upTo > this.#taskCount) this.close();
  }

  #indexFrom(position: Position): number {
    const positions = this.#positions;
    return findFirst(0, positions.length, (at) => comparePositions(positions[at] as Position, position) >= 0);
  }

  close(): void {
    this.#search?.close();
    this.#search = undefined;
  }
}
