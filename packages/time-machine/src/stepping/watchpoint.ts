// A watchpoint: the statements that write a value, which an expression names at a position. Writes after the position come
// from a search that holds on to the object, so the expression is evaluated only once. Writes before it form a chain:
// each is the last write before the one after it, so the expression is evaluated again at each of them.
import type { BreakpointSearch } from '../replay-process/breakpoint-search.ts';
import { ReplayError } from '../replay-process/replay-error.ts';
import { comparePositions, taskStart, type Position } from '../position.ts';
import type { Direction } from '../moves/move.ts';
import type { OperationContext } from './operation-context.ts';

/** A write of the watched value, by the statement that makes it. */
export interface WatchedWrite {
  readonly position: Position;
  /** The values before and after the write; undefined if they are not known. */
  readonly change?: readonly [before: string, after: string] | undefined;
}

export interface WatchpointDeps {
  readonly taskCount: number;
  /** Finds the last write before a position; undefined if there is none, or if the value was received there. */
  lastWrite(from: Position, signal: AbortSignal): Promise<Position | undefined>;
  /** Opens the search for writes after the watchpoint's position. */
  searchWrites(): BreakpointSearch;
}

const FIRST_BATCH_TASKS = 256;

export class Watchpoint {
  readonly #position: Position;
  readonly #deps: WatchpointDeps;
  /** Writes before the position, the latest first. */
  readonly #earlier: WatchedWrite[] = [];
  #hasAllEarlier = false;
  /** Writes after the position, in order. */
  #later: WatchedWrite[] = [];
  /** The first task that has not been searched. */
  #searchedTo: number;
  #batchTasks = FIRST_BATCH_TASKS;
  #search: BreakpointSearch | undefined;

  /** @param position the position at which the expression names the value */
  constructor(position: Position, deps: WatchpointDeps) {
    this.#position = position;
    this.#searchedTo = position.order;
    this.#deps = deps;
  }

  /** Fails if the expression does not name a value that can be watched. */
  async check(context: OperationContext): Promise<void> {
    await this.#searchOn(this.#position.order, context);
  }

  /** The nearest write in a direction; undefined if there is none. */
  async next(from: Position, direction: Direction, context: OperationContext): Promise<WatchedWrite | undefined> {
    const isForward = direction === 'forward';
    const isAhead = ({ position }: WatchedWrite): boolean =>
      comparePositions(position, from) * (isForward ? 1 : -1) > 0;
    if (isForward) {
      await this.#extendEarlier(from, context);
      const known = [...this.#earlier.toReversed(), ...this.#later].find(isAhead);
      if (known !== undefined) return known;
      while (this.#searchedTo <= this.#deps.taskCount) {
        await this.#searchOn(Math.max(from.order, this.#searchedTo), context);
        const found = this.#later.find(isAhead);
        if (found !== undefined) return found;
      }
      return undefined;
    }
    while (this.#searchedTo <= Math.min(from.order, this.#deps.taskCount)) await this.#searchOn(from.order, context);
    const later = this.#later.findLast(isAhead);
    if (later !== undefined) return later;
    await this.#extendEarlier(from, context);
    return this.#earlier.find(isAhead);
  }

  /** The known write at a position. */
  writeAt(position: Position): WatchedWrite | undefined {
    return [...this.#earlier, ...this.#later].find((each) => comparePositions(each.position, position) === 0);
  }

  /** Extends the chain of earlier writes until one is before a position. */
  async #extendEarlier(from: Position, { signal }: OperationContext): Promise<void> {
    while (!this.#hasAllEarlier) {
      const last = this.#earlier.at(-1)?.position ?? this.#position;
      if (this.#earlier.length > 0 && comparePositions(last, from) < 0) return;
      if (this.#earlier.length === 0 && comparePositions(this.#position, from) < 0) return;
      const position = await this.#deps.lastWrite(last, signal);
      if (position === undefined || comparePositions(position, last) >= 0) this.#hasAllEarlier = true;
      else this.#earlier.push({ position });
    }
  }

  /** Continues the search for later writes, at least to the end of a task. */
  async #searchOn(minOrder: number, { signal, progress }: OperationContext): Promise<void> {
    const { taskCount } = this.#deps;
    this.#search ??= this.#deps.searchWrites();
    this.#search.onProgress = (done) => progress(done, taskCount);
    const upTo = Math.min(minOrder + this.#batchTasks, taskCount + 1);
    this.#batchTasks *= 2;
    const hits = await this.#search.runTo(taskStart(upTo), signal);
    for (const { position, logValue, error } of hits) {
      if (error !== undefined) throw new ReplayError('TT_NO_POSITION', error);
      if (comparePositions(position, this.#position) < 0) continue;
      const change = logValue === undefined ? undefined : (JSON.parse(logValue) as [string, string]);
      this.#later.push({ position, change });
    }
    this.#later = this.#later.toSorted((a, b) => comparePositions(a.position, b.position));
    this.#searchedTo = upTo;
    if (upTo > taskCount) this.close();
  }

  close(): void {
    this.#search?.close();
    this.#search = undefined;
  }
}
