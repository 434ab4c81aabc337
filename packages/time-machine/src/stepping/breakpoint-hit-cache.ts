// Positions of all breakpoint hits of a recording, in order, up to the searched task. A search runs through the
// recording once (`ReplayDriver.searchBreakpoints`) and evaluates conditions; after that, moves to breakpoints are
// look-ups in both directions. A cache is valid for one set of breakpoints: the step controller discards it when the
// set changes. A breakpoint of a client may be several breakpoints of the search, such as one for each function of a name.
import { findFirst } from '../binary-search.ts';
import type { BreakpointSearch } from '../replay-process/breakpoint-search.ts';
import { taskStart, comparePositions, type Position } from '../position.ts';

/** Number of tasks in the first run of a search. The number doubles with each further run. */
const FIRST_BATCH_TASKS = 256;

/** How often a condition threw. */
export interface ConditionFailures {
  readonly count: number;
  /** The first error. */
  readonly error: string;
}

type ProgressListener = (done: number) => void;

export interface BreakpointHitCacheOptions {
  /** Opens a search from `firstTask` on. */
  readonly openSearch: () => BreakpointSearch;
  readonly owners: readonly number[];
  readonly hitNumbers: readonly (number | undefined)[];
  /** The first task to search. */
  readonly firstTask?: number;
  readonly taskCount: number;
}

export class BreakpointHitCache {
  readonly #openSearch: () => BreakpointSearch;
  /** For each breakpoint of the search, the index of the client's breakpoint to which it belongs. */
  readonly #owners: readonly number[];
  /** For each breakpoint of the client, the number of the only hit that counts; undefined if all hits count. */
  readonly #hitNumbers: readonly (number | undefined)[];
  /** Number of hits of each breakpoint of the client so far. */
  readonly #counts: number[];
  readonly #taskCount: number;
  #search: BreakpointSearch | undefined;
  readonly #positions: Position[] = [];
  /** For each position, the indexes of the client's breakpoints that are hit there. */
  readonly #breakpoints: number[][] = [];
  readonly #failures = new Map<number, ConditionFailures>();
  readonly #firstTask: number;
  /** The first task that has not been searched. */
  #searchedTo: number;
  #batchTasks = FIRST_BATCH_TASKS;

  constructor({ openSearch, owners, hitNumbers, firstTask = 1, taskCount }: BreakpointHitCacheOptions) {
    this.#openSearch = openSearch;
    this.#owners = owners;
    this.#hitNumbers = hitNumbers;
    this.#counts = hitNumbers.map(() => 0);
    this.#firstTask = this.#searchedTo = firstTask;
    this.#taskCount = taskCount;
  }

  /**
   * The next hit after a position; undefined if there is none.
   * @param progress gets the number of searched tasks
   * @param lastTask the last task that is searched
   */
  async nextAfter(
    from: Position,
    signal: AbortSignal,
    progress: ProgressListener,
    lastTask = this.#taskCount,
  ): Promise<Position | undefined> {
    for (;;) {
      const found = this.#positions[this.#indexFrom({ ...from, statement: from.statement + 1 })];
      if (found !== undefined || this.#searchedTo > Math.min(lastTask, this.#taskCount)) return found;
      await this.#extend(Math.max(this.#searchedTo, from.order), signal, progress);
      progress(this.#searchedTo);
    }
  }

  async lastBefore(from: Position, signal: AbortSignal, progress: ProgressListener): Promise<Position | undefined> {
    while (this.#searchedTo <= Math.min(from.order, this.#taskCount)) {
      await this.#extend(this.#searchedTo, signal, progress);
      progress(this.#searchedTo);
    }
    return this.#positions[this.#indexFrom(from) - 1];
  }

  /** Failures of the condition of a client's breakpoint in the searched tasks. @param index index of the breakpoint */
  failuresOf(index: number): ConditionFailures | undefined {
    return this.#failures.get(index);
  }

  /** Whether all tasks between two ones have been searched. */
  covers(first: number, last: number): boolean {
    return this.#firstTask <= first && last < this.#searchedTo;
  }

  /** Whether the search can be continued to the tasks from one on without a gap. */
  reaches(first: number): boolean {
    return this.#firstTask <= first && first <= this.#searchedTo;
  }

  /** Indexes of the breakpoints that have a known hit at a position. */
  breakpointsAt(position: Position): readonly number[] {
    const index = this.#indexFrom(position);
    const found = this.#positions[index];
    return found !== undefined && comparePositions(found, position) === 0 ? (this.#breakpoints[index] ?? []) : [];
  }

  /** Continues the search, at least to the end of a task. */
  async #extend(minOrder: number, signal: AbortSignal, progress: ProgressListener): Promise<void> {
    this.#search ??= this.#openSearch();
    this.#search.onProgress = progress;
    const upTo = Math.min(minOrder + this.#batchTasks, this.#taskCount + 1);
    this.#batchTasks *= 2;
    const hits = await this.#search.runTo(taskStart(upTo), signal);
    for (const { position, breakpoint: index, error } of hits) {
      const breakpoint = this.#owners[index] as number;
      if (error !== undefined) {
        // A condition that throws counts as false.
        const { count: failures = 0, error: first = error } = this.#failures.get(breakpoint) ?? {};
        this.#failures.set(breakpoint, { count: failures + 1, error: first });
        continue;
      }
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

  /** Index of the first hit at a position or after it. */
  #indexFrom(position: Position): number {
    const positions = this.#positions;
    return findFirst(0, positions.length, (at) => comparePositions(positions[at] as Position, position) >= 0);
  }

  close(): void {
    this.#search?.close();
    this.#search = undefined;
  }
}
