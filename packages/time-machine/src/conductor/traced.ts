// The statements of a stretch as they were noted, to be moved about in: an array look-up each way, whatever lies between. Over and out of calls are told by how many frames there were.
import { firstThat } from '../first-from.ts';
import { beginOf, comparePositions, type Position } from '../position.ts';
import type { StatementPlace, TracedEvent, TracedSend, TracedStretch } from '../replay-process/protocol.ts';

const CELL = 4;
/** Frames are counted no further. */
const DEEPEST = 200;

export class Traced {
  readonly order: number;
  readonly #places: readonly StatementPlace[];
  readonly #words: Int32Array;
  readonly #happenings: readonly TracedEvent[];
  readonly sends: readonly TracedSend[];

  constructor(order: number, { places, statements, sends, happenings = [] }: TracedStretch) {
    this.order = order;
    this.sends = sends;
    this.#places = places;
    this.#words = Int32Array.from(statements);
    this.#happenings = happenings;
  }

  /** Where something of some kinds happens that is meant, each place once; where that is not known, where any of them does, or the beginning: somewhere it does. */
  happenings(kinds: readonly string[], isMeant: (text: string) => boolean): Position[] {
    const all = this.#happenings.filter(([, kind]) => kinds.includes(kind));
    // Who began in its midst may not know what all of them tell.
    const meant = all.filter(([, , text]) => isMeant(text));
    const found = new Set((meant.length > 0 ? meant : all).map(([index]) => index));
    if (found.size === 0) found.add(-1);
    return [...found].toSorted((a, b) => a - b).map((index) => this.#positionAt(index));
  }

  #positionAt(index: number): Position {
    return index < 0 ? beginOf(this.order) : this.position(index);
  }

  get count(): number {
    return this.#words.length / CELL;
  }

  position(index: number): Position {
    const at = index * CELL;
    return { order: this.order, list: this.#words[at] as number, statement: this.#words[at + 1] as number };
  }

  place(index: number): StatementPlace {
    return this.#places[this.#words[index * CELL + 2] as number] as StatementPlace;
  }

  depth(index: number): number {
    return this.#words[index * CELL + 3] as number;
  }

  /** Of the last statement that is not behind a position; -1 before the first. */
  indexOf(position: Position): number {
    return firstThat(0, this.count, (index) => comparePositions(this.position(index), position) > 0) - 1;
  }

  /** The next one that is, or the one before, from one on; -1 if there is none. */
  nearest(from: number, step: 1 | -1, is: (index: number) => boolean): number {
    for (let index = from + step; index >= 0 && index < this.count; index += step) if (is(index)) return index;
    return -1;
  }

  /** Where this was called; -1 if nothing of the stretch has. */
  callerOf(index: number): number {
    return this.nearest(index, -1, (each) => this.depth(each) < this.depth(index));
  }

  /** The last statement of the call that is so many frames further down; -1 if that has none, or nobody knows. */
  outer(index: number, above: number): number {
    const depth = this.depth(index);
    if (depth >= DEEPEST) return -1;
    const found = this.nearest(index, -1, (each) => this.depth(each) <= depth - above);
    return found !== -1 && this.depth(found) === depth - above ? found : -1;
  }

  /** Statements of the same call that have begun before, in order: back to its first, or to where it goes on behind an `await`. */
  earlierInCall(index: number): number[] {
    const { code, ordinal } = this.place(index);
    const depth = this.depth(index);
    const found: number[] = [];
    let isFirst = isBeginOfCall(this.place(index));
    for (let at = index - 1; at >= 0 && !isFirst && this.depth(at) >= depth; at--) {
      if (this.depth(at) > depth) continue;
      const place = this.place(at);
      if (place.code !== code || place.ordinal !== ordinal) break;
      found.push(at);
      isFirst = isBeginOfCall(place);
    }
    return found.toReversed();
  }

  /** The last of those that no other is less deep than: where what the stretch calls has returned. */
  get lastOutermost(): number {
    let found = -1;
    for (let index = 0; index < this.count; index++)
      if (found === -1 || this.depth(index) <= this.depth(found)) found = index;
    return found;
  }
}

/** What begins with a loop's test comes to it again. */
export function isBeginOfCall({ number, first, kind }: StatementPlace): boolean {
  return number === first && kind !== 'turn';
}
