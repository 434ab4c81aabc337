// Statement trace of one task, in execution order. Moves inside the task are look-ups here, in either direction. The
// number of frames at each statement tells whether it is inside a call of another one.
import { findFirst } from '../binary-search.ts';
import { taskStart, comparePositions, type Position } from '../position.ts';
import type {
  RunName,
  StatementLocation,
  TracedEvent,
  TracedRun,
  TracedSend,
  TaskTrace,
} from '../replay-process/protocol.ts';

/** Number of words per statement: list, statement, index of its location, number of frames. */
const CELL_WORDS = 4;
/** Maximum number of frames that are counted. */
const MAX_DEPTH = 200;

/** Identity of a function: its file's code and its ordinal. */
export type FunctionKey = string;

export class StatementTrace {
  readonly order: number;
  readonly #locations: readonly StatementLocation[];
  readonly #words: Int32Array;
  readonly #events: readonly TracedEvent[];
  readonly sends: readonly TracedSend[];
  /** The first task from which on the runs of frames are known. */
  readonly since: number;
  /** The runs of frames, and of code that the host has called. */
  readonly #runs: readonly TracedRun[];
  /** Index of each statement's run. */
  readonly #runIndexes: Int32Array;
  /** Indexes of the first and last statement of each run; -1 if it has none. */
  readonly #firstStatements: Int32Array;
  readonly #lastStatements: Int32Array;
  readonly #minDepths = new Map<number, number>();

  constructor(order: number, trace: TaskTrace) {
    const { locations, statements, sends, events = [], since = 1, runs = [{}], runStarts = [0, 0] } = trace;
    this.order = order;
    this.since = since;
    this.sends = sends;
    this.#locations = locations;
    this.#words = Int32Array.from(statements);
    this.#events = events;
    this.#runs = runs;
    this.#runIndexes = new Int32Array(this.count);
    this.#firstStatements = new Int32Array(runs.length).fill(-1);
    this.#lastStatements = new Int32Array(runs.length).fill(-1);
    for (let i = 0; i < runStarts.length; i += 2) {
      const [from, run = 0, to = this.count] = runStarts.slice(i, i + 3) as [number, number, number?];
      this.#runIndexes.fill(run, from, to);
      if (from >= to) continue;
      if (this.#firstStatements[run] === -1) this.#firstStatements[run] = from;
      this.#lastStatements[run] = to - 1;
    }
  }

  // Runs.

  /** Index of the run to which a statement belongs. */
  runOf(index: number): number {
    return this.#runIndexes[index] as number;
  }

  run(run: number): TracedRun {
    return this.#runs[run] as TracedRun;
  }

  /** Index of the first statement after the start of a run, which may belong to a run that it has started. */
  startOfRun(run: number): number {
    return this.run(run).start ?? this.firstOfRun(run);
  }

  firstOfRun(run: number): number {
    return this.#firstStatements[run] as number;
  }

  lastOfRun(run: number): number {
    return this.#lastStatements[run] as number;
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

  /** Whether a statement belongs to the frame of its run, and not to a function that the frame has called. */
  isFrameLevel(index: number): boolean {
    const run = this.runOf(index);
    if (this.run(run).number === undefined) return false;
    const { isSuspendable, ordinal, kind } = this.location(index);
    if (isSuspendable === true || ordinal !== -1 || kind === 'field') return isSuspendable === true;
    // Static blocks of classes have the ordinal of the module, too. A module that was resumed may first call a function.
    return this.depth(index) === this.#minDepth(run);
  }

  /** The fewest frames on the stack at a statement of a run. */
  #minDepth(run: number): number {
    const known = this.#minDepths.get(run);
    if (known !== undefined) return known;
    let depth = Infinity;
    for (let at = this.firstOfRun(run); at <= this.lastOfRun(run); at++)
      if (this.runOf(at) === run) depth = Math.min(depth, this.depth(at));
    this.#minDepths.set(run, depth);
    return depth;
  }

  /**
   * Index of the first statement of the frame in a run; -1 if there is none.
   * @param fn the frame's function
   * @param after index of the statement after which it must be
   */
  firstOwn(run: number, fn: FunctionKey | undefined, after = -1): number {
    if (this.firstOfRun(run) === -1) return -1;
    for (let at = Math.max(this.firstOfRun(run), after + 1); at <= this.lastOfRun(run); at++)
      if (this.runOf(at) === run && this.#isOwn(at, fn)) return at;
    return -1;
  }

  /** Index of the last statement of the frame in a run; -1 if there is none. */
  lastOwn(run: number, fn: FunctionKey | undefined): number {
    for (let at = this.lastOfRun(run); at !== -1 && at >= this.firstOfRun(run); at--)
      if (this.runOf(at) === run && this.#isOwn(at, fn)) return at;
    return -1;
  }

  #isOwn(index: number, fn: FunctionKey | undefined): boolean {
    return this.isFrameLevel(index) && (fn === undefined || fn === functionKey(this.location(index)));
  }

  /** Whether a neighbouring statement is in a function that the activation of a statement, in its run, has called. */
  isCalledFrom(neighbour: number, index: number): boolean {
    const run = this.runOf(index);
    if (this.runOf(neighbour) === run) return this.depth(neighbour) > this.depth(index);
    for (let caller = this.run(this.runOf(neighbour)).caller; caller !== undefined; caller = this.run(caller).caller)
      if (caller === run) return true;
    return false;
  }

  /** Index of the statement in the same run that called the function of a statement; -1 if there is none. */
  callerInRun(index: number): number {
    if (this.isFrameLevel(index)) return -1;
    const run = this.runOf(index);
    for (let at = index - 1; at >= this.firstOfRun(run); at--)
      if (this.runOf(at) === run && this.depth(at) < this.depth(index)) return at;
    return -1;
  }

  /** Index of the statement that started or resumed the frame of a run; -1 if it was the host. */
  callOfRun(run: number): number {
    const { caller, start = 0 } = this.run(run);
    if (caller === undefined || this.firstOfRun(caller) === -1) return -1;
    // Calls that made the arguments have ended.
    const first = this.firstOwn(run, undefined);
    const depth = first === -1 || this.isDepthUnknown(first) ? Infinity : this.depth(first);
    for (let at = start - 1; at >= this.firstOfRun(caller); at--)
      if (this.runOf(at) === caller && this.depth(at) < depth) return at;
    return -1;
  }

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

  get count(): number {
    return this.#words.length / CELL_WORDS;
  }

  position(index: number): Position {
    const at = index * CELL_WORDS;
    return { order: this.order, list: this.#words[at] as number, statement: this.#words[at + 1] as number };
  }

  location(index: number): StatementLocation {
    return this.#locations[this.#words[index * CELL_WORDS + 2] as number] as StatementLocation;
  }

  depth(index: number): number {
    return this.#words[index * CELL_WORDS + 3] as number;
  }

  /** Whether the stack had more frames at a statement than are counted. */
  isDepthUnknown(index: number): boolean {
    return this.depth(index) >= MAX_DEPTH;
  }

  /** Index of the last statement that is not after a position; -1 if there is none. */
  indexOf(position: Position): number {
    return findFirst(0, this.count, (index) => comparePositions(this.position(index), position) > 0) - 1;
  }

  /** Index of the nearest matching statement after (1) or before (-1) a statement; -1 if there is none. */
  findNearest(from: number, step: 1 | -1, matches: (index: number) => boolean): number {
    for (let index = from + step; index >= 0 && index < this.count; index += step) if (matches(index)) return index;
    return -1;
  }

  /** Index of the statement that called the function of a statement; -1 if the call was not in the task. */
  callerOf(index: number): number {
    return this.findNearest(index, -1, (each) => this.depth(each) < this.depth(index));
  }

  /** Index of the last statement in the frame with `above` frames above it; -1 if there is none or it is unknown. */
  outerStatement(index: number, above: number): number {
    const depth = this.depth(index);
    if (this.isDepthUnknown(index)) return -1;
    const found = this.findNearest(index, -1, (each) => this.depth(each) <= depth - above);
    return found !== -1 && this.depth(found) === depth - above ? found : -1;
  }

  /** Indexes of the statements before one in its call, in order, from the call's start or its last suspension on. */
  earlierInCall(index: number): number[] {
    const fn = functionKey(this.location(index));
    const depth = this.depth(index);
    const found: number[] = [];
    let isFirst = isCallStart(this.location(index));
    for (let at = index - 1; at >= 0 && !isFirst && this.depth(at) >= depth; at--) {
      if (this.depth(at) > depth) continue;
      const location = this.location(at);
      if (functionKey(location) !== fn) break;
      found.push(at);
      isFirst = isCallStart(location);
    }
    return found.toReversed();
  }

  /** Index of the last statement with the fewest frames, where all calls inside the task have returned. */
  get lastOutermost(): number {
    let found = -1;
    for (let index = 0; index < this.count; index++)
      if (found === -1 || this.depth(index) <= this.depth(found)) found = index;
    return found;
  }
}

export function functionKey({ code, ordinal }: StatementLocation): FunctionKey {
  return `${code} ${ordinal}`;
}

/** Whether a statement is the start of a call. A loop test is not, since it is reached again with each iteration. */
export function isCallStart({ number, firstStatement: first, kind, repeatsFirst }: StatementLocation): boolean {
  return number === first && kind !== 'iteration' && repeatsFirst !== true;
}
