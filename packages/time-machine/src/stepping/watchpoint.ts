// A watchpoint: the statements that change a value, which an expression names at a position. Writes after the position
// come from a search that holds on to the object, so the expression is evaluated only once. Writes before it form a chain:
// each is the last write before the one after it, so the expression is evaluated again at each of them. The chain ends
// where the value was received with a call or a message, and where the expression does not name the value.
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
  /** Note for users if the value was received there, with a call or a message. */
  readonly note?: string | undefined;
}

/** The origin of a value, one step back. */
export interface ValueOrigin {
  readonly position: Position;
  /** Present if the value was received there, so that the expression is of no use at earlier positions. */
  readonly note?: string | undefined;
}

export interface WatchedValue {
  readonly text: string;
  /** Whether equal values have equal texts, and other values have others. */
  readonly isExact: boolean;
}

const NO_VALUE: WatchedValue = { text: 'undefined', isExact: true };

export interface WatchpointDeps {
  readonly taskCount: number;
  /** Finds the origin of the value at a position; undefined if there is none. */
  findOrigin(from: Position, signal: AbortSignal): Promise<ValueOrigin | undefined>;
  /** The value of the expression at a position; undefined if it has none there. */
  valueAt(position: Position, signal: AbortSignal): Promise<WatchedValue | undefined>;
  /** Opens the search for writes after the watchpoint's position. */
  searchWrites(): BreakpointSearch;
}

const FIRST_BATCH_TASKS = 256;

export class Watchpoint {
  readonly #position: Position;
  readonly #deps: WatchpointDeps;
  /** Writes before the position, the latest first. */
  readonly #earlier: WatchedWrite[] = [];
  /** The earliest position that the chain has reached, and the value there; undefined before the first search. */
  #chainStart: { readonly position: Position; readonly value: WatchedValue | undefined } | undefined;
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

  /** The nearest write in a direction; undefined if there is none. @param lastTask the last task that is searched */
  async next(
    from: Position,
    direction: Direction,
    context: OperationContext,
    lastTask = this.#deps.taskCount,
  ): Promise<WatchedWrite | undefined> {
    const isForward = direction === 'forward';
    const isAhead = ({ position }: WatchedWrite): boolean =>
      comparePositions(position, from) * (isForward ? 1 : -1) > 0;
    if (isForward) {
      if (comparePositions(from, this.#position) <= 0) await this.#extendEarlier(from, context);
      const known = [...this.#earlier.toReversed(), ...this.#later].find(isAhead);
      if (known !== undefined) return known;
      while (this.#searchedTo <= Math.min(lastTask, this.#deps.taskCount)) {
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
    const { findOrigin, valueAt } = this.#deps;
    while (!this.#hasAllEarlier) {
      const { position: at } = this.#earlier.at(-1) ?? { position: this.#position };
      if (this.#earlier.length > 0 && comparePositions(at, from) < 0) return;
      this.#chainStart ??= { position: at, value: await valueAt(at, signal) };
      const next = this.#chainStart;
      const { position, note } = (await findOrigin(next.position, signal)) ?? {};
      if (position === undefined || comparePositions(position, next.position) >= 0) {
        this.#hasAllEarlier = true;
        return;
      }
      if (note !== undefined) {
        this.#earlier.push({ position, note });
        this.#hasAllEarlier = true;
        return;
      }
      const value = await valueAt(position, signal);
      this.#chainStart = { position, value };
      const change = changeBetween(value, next.value);
      if (change !== 'none') this.#earlier.push({ position, change });
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

/** The values before and after a write; undefined if the expression had no value before it. */
function changeBetween(
  before: WatchedValue | undefined,
  after: WatchedValue | undefined,
): WatchedWrite['change'] | 'none' {
  const [{ text, isExact }, later] = [before ?? NO_VALUE, after ?? NO_VALUE];
  if (text === later.text && isExact && later.isExact) return 'none';
  return before === undefined ? undefined : [text, later.text];
}
