// Statement trace of one task, in execution order, with the tree of its calls. Moves inside the task are look-ups here,
// in either direction.
//
// A call of a suspendable function has one call in the trace for each of its runs, the run's own call. All other calls
// begin and end within a run.
import { findFirst } from '../binary-search.ts';
import { taskStart, comparePositions, type Position } from '../position.ts';
import { unpackIntegers } from './packed-integers.ts';
import { ReplayError } from './replay-error.ts';
import type { RunName, StatementLocation, TracedEvent, TracedRun, TracedSend, TaskTrace } from './task-trace.ts';

/** Identity of a function: its file's code and its ordinal. */
export type FunctionKey = string;

/** The number of statement lists is stored for each statement whose index is a multiple of this number. */
const BLOCK_BITS = 6;
const BLOCK_LENGTH = 2 ** BLOCK_BITS;

export class StatementTrace {
  readonly order: number;
  readonly count: number;
  /** Whether the task has more statements. */
  readonly isTruncated: boolean;
  readonly #locations: readonly StatementLocation[];
  /** Per statement, as in `TaskTrace`. */
  readonly #statements: Int32Array;
  readonly #calls: Int32Array;
  /** Number of lists before each block of statements. */
  readonly #listsBefore: Int32Array;
  readonly #events: readonly TracedEvent[];
  readonly sends: readonly TracedSend[];
  /** The first task from which on the runs of frames are known. */
  readonly since: number;
  /** The runs of frames, and of code that the host has called. */
  readonly #runs: readonly TracedRun[];
  /** Per call: its caller, its run, and the indexes of its first and last statement, or -1. */
  readonly #callParents: Int32Array;
  readonly #callRuns: Int32Array;
  readonly #firstOfCalls: Int32Array;
  readonly #lastOfCalls: Int32Array;

  constructor(order: number, trace: TaskTrace) {
    const { locations, statements, calls, callParents, callRuns, sends, events = [], since = 1 } = trace;
    this.order = order;
    this.since = since;
    this.sends = sends;
    this.isTruncated = trace.isTruncated;
    this.#locations = locations;
    this.#statements = unpackIntegers(statements);
    this.count = this.#statements.length;
    this.#calls = unpackIntegers(calls);
    this.#events = events;
    this.#runs = trace.runs;
    this.#callParents = unpackIntegers(callParents);
    this.#callRuns = unpackIntegers(callRuns);
    this.#firstOfCalls = new Int32Array(this.#callRuns.length).fill(-1);
    this.#lastOfCalls = new Int32Array(this.#callRuns.length).fill(-1);
    this.#listsBefore = new Int32Array((this.count >> BLOCK_BITS) + 1);
    let lists = 0;
    for (let index = 0; index < this.count; index++) {
      if (index % BLOCK_LENGTH === 0) this.#listsBefore[index >> BLOCK_BITS] = lists;
      lists += (this.#statements[index] as number) & 1;
      const call = this.#calls[index] as number;
      if (this.#firstOfCalls[call] === -1) this.#firstOfCalls[call] = index;
      this.#lastOfCalls[call] = index;
    }
  }

  // Statements.

  position(index: number): Position {
    return { order: this.order, list: this.#listOf(index), statement: index - this.#listStart(index) + 1 };
  }

  /** Number of the list that was entered last. */
  #listOf(index: number): number {
    let lists = this.#listsBefore[index >> BLOCK_BITS] as number;
    for (let at = index - (index % BLOCK_LENGTH); at <= index; at++) lists += (this.#statements[at] as number) & 1;
    return lists;
  }

  #listStart(index: number): number {
    let at = index;
    while (at > 0 && ((this.#statements[at] as number) & 1) === 0) at--;
    return at;
  }

  location(index: number): StatementLocation {
    return this.#locations[(this.#statements[index] as number) >> 1] as StatementLocation;
  }

  /** Index of the last statement that is not after a position; -1 if there is none. Throws if that is not traced. */
  indexOf(position: Position): number {
    if (this.isBeyond(position)) throw this.#tooLong();
    return findFirst(0, this.count, (index) => comparePositions(this.position(index), position) > 0) - 1;
  }

  /** Whether a position is after the last statement of a truncated trace. */
  isBeyond(position: Position): boolean {
    return this.isTruncated && comparePositions(position, this.position(this.count - 1)) > 0;
  }

  #tooLong(): ReplayError {
    const count = this.count.toLocaleString('en-US');
    return new ReplayError(
      'TT_TASK_TOO_LONG',
      `only the first ${count} statements of this task can be stepped through; use continue, or goto with an earlier position`,
    );
  }

  /** Index of the nearest matching statement after (1) or before (-1) a statement; -1 if there is none. */
  findNearest(from: number, step: 1 | -1, matches: (index: number) => boolean): number {
    for (let index = from + step; index >= 0 && index < this.count; index += step) if (matches(index)) return index;
    return -1;
  }

  // Calls.

  callOf(index: number): number {
    return this.#calls[index] as number;
  }

  /** The call whose code has called a call; -1 if it was the host. */
  callerOf(call: number): number {
    return this.#callParents[call] as number;
  }

  /** Whether a call is part of another one: the same, or called by it, directly or not. */
  isWithin(call: number, outer: number): boolean {
    let at = call;
    while (at > outer) at = this.callerOf(at);
    return at === outer;
  }

  /** Indexes of the first and the last statement of a call; -1 if it has none. */
  firstOfCall(call: number): number {
    return this.#firstOfCalls[call] as number;
  }

  lastOfCall(call: number): number {
    return this.#lastOfCalls[call] as number;
  }

  /** Index of the next statement of a call after a statement; -1 if there is none. */
  nextOfCall(call: number, after: number): number {
    if (after < this.lastOfCall(call)) return this.findNearest(after, 1, (at) => this.#calls[at] === call);
    // A call may continue in a statement that is not traced.
    if (this.isTruncated && this.isWithin(this.callOf(this.count - 1), call)) throw this.#tooLong();
    return -1;
  }

  /** Index of the last statement of a call before a statement; -1 if there is none. */
  previousOfCall(call: number, before: number): number {
    const first = this.firstOfCall(call);
    return first === -1 || before <= first ? -1 : this.findNearest(before, -1, (at) => this.#calls[at] === call);
  }

  /** Index of the statement that has called a call, or started or resumed its frame; -1 if it was the host. */
  callerStatement(call: number): number {
    const { start = 0 } = this.run(this.runOfCall(call));
    return this.#lastInCallers(call, this.isOwnCall(call) ? start : this.firstOfCall(call));
  }

  /** Index of the last statement before another one in the callers of a call. The nearest caller may have none yet. */
  #lastInCallers(call: number, before: number): number {
    let found = -1;
    for (let at = this.callerOf(call); at !== -1 && found === -1; at = this.callerOf(at)) {
      found = this.previousOfCall(at, before);
      if (found === -1 && this.isOwnCall(at)) found = this.#lastOfFrame(this.runOfCall(at));
    }
    return found;
  }

  /** Index of the last statement of a frame before a run; -1 if there is none in the task. */
  #lastOfFrame(run: number): number {
    const { previous } = this.run(run);
    if (previous === undefined || previous === null || previous[0] !== this.order) return -1;
    const before = this.runWithNumber(previous[1]);
    if (before === -1) return -1;
    const last = this.lastOwn(before);
    return last === -1 ? this.#lastOfFrame(before) : last;
  }

  /** Indexes of the statements before one in its call, in order, from the call's start or its last suspension on. */
  earlierInCall(index: number): number[] {
    const call = this.callOf(index);
    const found: number[] = [];
    for (let at = this.previousOfCall(call, index); at !== -1; at = this.previousOfCall(call, at)) found.push(at);
    return found.toReversed();
  }

  /** Whether a statement is the first of its function's call, and does not follow a suspension. */
  isStartOfFunction(index: number): boolean {
    const call = this.callOf(index);
    return this.firstOfCall(call) === index && (!this.isOwnCall(call) || this.run(this.runOf(index)).previous === null);
  }

  /** Index of the last statement of the code that the host has called. */
  get lastOutermost(): number {
    return this.findNearest(this.count, -1, (index) => this.callerOf(this.callOf(index)) === -1);
  }

  // Runs.

  /** Index of the run to which a statement belongs. */
  runOf(index: number): number {
    return this.runOfCall(this.callOf(index));
  }

  runOfCall(call: number): number {
    return this.#callRuns[call] as number;
  }

  run(run: number): TracedRun {
    return this.#runs[run] as TracedRun;
  }

  /** Index of the run with a number; -1 if there is none. */
  runWithNumber(number: number): number {
    return this.#runs.findIndex((run) => run.number === number);
  }

  /** Index of the first run that follows one of some runs in its frame; -1 if there is none. */
  runAfter(names: readonly RunName[]): number {
    return this.#runs.findIndex(
      ({ previous }) =>
        previous !== undefined &&
        previous !== null &&
        names.some(([order, number]) => previous[0] === order && previous[1] === number),
    );
  }

  /** Index of the first run of a frame that was suspended before the task; -1 if there is none. */
  get firstResumed(): number {
    return this.#runs.findIndex(
      ({ number, previous }) => number !== undefined && previous !== null && previous?.[0] !== this.order,
    );
  }

  /** Whether a call is that of the frame of its run, and not of a function that the frame has called. */
  isOwnCall(call: number): boolean {
    return this.run(this.runOfCall(call)).call === call;
  }

  /** Index of the first statement of the frame in a run; -1 if there is none. */
  firstOwn(run: number): number {
    const { call } = this.run(run);
    return call === undefined ? -1 : this.firstOfCall(call);
  }

  /** Index of the last statement of the frame in a run; -1 if there is none. */
  lastOwn(run: number): number {
    const { call } = this.run(run);
    return call === undefined ? -1 : this.lastOfCall(call);
  }

  // Events.

  /**
   * Positions of the events of some kinds whose texts match, in order. If none matches: of all events of these kinds.
   * If there are none: the start of the task, since the caller knows that the task has a matching event.
   */
  eventPositions(kinds: readonly string[], matches: (text: string) => boolean): Position[] {
    const all = this.#events.filter(([, kind]) => kinds.includes(kind));
    // A process that started after the request was received may lack the texts of its events.
    const matching = all.filter(([, , text]) => matches(text));
    const found = new Set((matching.length > 0 ? matching : all).map(([index]) => index));
    if (found.size === 0) found.add(-1);
    return [...found].toSorted((a, b) => a - b).map((index) => this.#positionAt(index));
  }

  #positionAt(index: number): Position {
    return index < 0 ? taskStart(this.order) : this.position(index);
  }
}

export function functionKey({ code, ordinal }: StatementLocation): FunctionKey {
  return `${code} ${ordinal}`;
}
