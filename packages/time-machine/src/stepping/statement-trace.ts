// Statement trace of one task, in execution order. Moves inside the task are look-ups here, in either direction. The
// number of frames at each statement tells whether it is inside a call of another one.
import { findFirst } from '../binary-search.ts';
import { taskStart, comparePositions, type Position } from '../position.ts';
import type { StatementLocation, TracedEvent, TracedSend, TaskTrace } from '../replay-process/protocol.ts';

/** Number of words per statement: list, statement, index of its location, number of frames. */
const CELL_WORDS = 4;
/** Maximum number of frames that are counted. */
const MAX_DEPTH = 200;

export class StatementTrace {
  readonly order: number;
  readonly #locations: readonly StatementLocation[];
  readonly #words: Int32Array;
  readonly #events: readonly TracedEvent[];
  readonly sends: readonly TracedSend[];

  constructor(order: number, { locations, statements, sends, events = [] }: TaskTrace) {
    this.order = order;
    this.sends = sends;
    this.#locations = locations;
    this.#words = Int32Array.from(statements);
    this.#events = events;
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
    if (depth >= MAX_DEPTH) return -1;
    const found = this.findNearest(index, -1, (each) => this.depth(each) <= depth - above);
    return found !== -1 && this.depth(found) === depth - above ? found : -1;
  }

  /** Indexes of the statements before one in its call, in order, from the call's start or its last suspension on. */
  earlierInCall(index: number): number[] {
    const { code, ordinal } = this.location(index);
    const depth = this.depth(index);
    const found: number[] = [];
    let isFirst = isCallStart(this.location(index));
    for (let at = index - 1; at >= 0 && !isFirst && this.depth(at) >= depth; at--) {
      if (this.depth(at) > depth) continue;
      const location = this.location(at);
      if (location.code !== code || location.ordinal !== ordinal) break;
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

/** Whether a statement is the start of a call. A loop test is not, since it is reached again with each iteration. */
export function isCallStart({ number, firstStatement: first, kind }: StatementLocation): boolean {
  return number === first && kind !== 'iteration';
}
