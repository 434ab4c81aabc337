// The statements of a task as they were noted, to be moved about in: an array look-up each way, whatever lies between. Over and out of calls are told by how many frames there were.
import { findFirst } from '../binary-search.ts';
import { taskStart, comparePositions, type Position } from '../position.ts';
import type { StatementLocation, TracedEvent, TracedSend, TaskTrace } from '../replay-process/protocol.ts';

const CELL_WORDS = 4;
/** Frames are counted no further. */
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

  /** Where something of some kinds happens that is meant, each place once; where that is not known, where any of them does, or the beginning: somewhere it does. */
  eventPositions(kinds: readonly string[], matches: (text: string) => boolean): Position[] {
    const all = this.#events.filter(([, kind]) => kinds.includes(kind));
    // Who began in its midst may not know what all of them tell.
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

  /** Of the last statement that is not behind a position; -1 before the first. */
  indexOf(position: Position): number {
    return findFirst(0, this.count, (index) => comparePositions(this.position(index), position) > 0) - 1;
  }

  /** The next one that is, or the one before, from one on; -1 if there is none. */
  findNearest(from: number, step: 1 | -1, is: (index: number) => boolean): number {
    for (let index = from + step; index >= 0 && index < this.count; index += step) if (is(index)) return index;
    return -1;
  }

  /** Where this was called; -1 if nothing of the task has. */
  callerOf(index: number): number {
    return this.findNearest(index, -1, (each) => this.depth(each) < this.depth(index));
  }

  /** The last statement of the call that is so many frames further down; -1 if that has none, or nobody knows. */
  outerStatement(index: number, above: number): number {
    const depth = this.depth(index);
    if (depth >= MAX_DEPTH) return -1;
    const found = this.findNearest(index, -1, (each) => this.depth(each) <= depth - above);
    return found !== -1 && this.depth(found) === depth - above ? found : -1;
  }

  /** Statements of the same call that have begun before, in order: back to its first, or to where it goes on behind an `await`. */
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

  /** The last of those that no other is less deep than: where what the task calls has returned. */
  get lastOutermost(): number {
    let found = -1;
    for (let index = 0; index < this.count; index++)
      if (found === -1 || this.depth(index) <= this.depth(found)) found = index;
    return found;
  }
}

/** What begins with a loop's test comes to it again. */
export function isCallStart({ number, firstStatement: first, kind }: StatementLocation): boolean {
  return number === first && kind !== 'iteration';
}
