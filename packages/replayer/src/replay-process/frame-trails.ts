// The last statements of each call of an async function, across the stretches in which it goes on: by its frame, which core tells of whenever it runs. What belongs to a call in one stretch is
// known by the stack; where it went on, it is the frame that runs next.
import type { Begun } from './call-trail.ts';

export interface Piece extends Begun {
  readonly at: readonly [stretch: number, list: number, statement: number];
}

/** Of one call. */
const MOST = 200;

export class FrameTrails {
  readonly #trails = new WeakMap<object, Piece[]>();
  /** What each function's call runs, by the function. */
  readonly #running = new Map<number, Piece[]>();
  /** Where calls have begun or gone on in this stretch. */
  #resumed = new Map<string, readonly Piece[]>();
  #next: object | undefined;

  /** It is about to begin, or to go on. */
  readonly runs = (frame: object): void => {
    this.#next = frame;
  };

  /** A stretch begins. */
  clear(): void {
    this.#next = undefined;
    this.#resumed = new Map();
  }

  /** A statement of an async function. @param fn its number */
  sees(fn: number, piece: Piece): void {
    const next = this.#next;
    let trail = next === undefined ? this.#running.get(fn) : this.#trailOf(next);
    if (next !== undefined && trail !== undefined) {
      this.#next = undefined;
      this.#running.set(fn, trail);
      this.#resumed.set(`${piece.at[1]}.${piece.at[2]}`, trail);
    }
    // One that began before anybody looked.
    trail ??= [];
    if (trail.length >= MOST) trail.splice(0, MOST / 2);
    trail[trail.length] = piece;
  }

  #trailOf(frame: object): Piece[] {
    let trail = this.#trails.get(frame);
    if (trail === undefined) this.#trails.set(frame, (trail = []));
    return trail;
  }

  /** What has begun in the same call before it went on at this statement, in order; nothing, if it did not go on there. */
  before(list: number, statement: number, stretch: number): readonly Piece[] {
    const trail = this.#resumed.get(`${list}.${statement}`) ?? [];
    return trail.filter(({ at }) => at[0] < stretch || at[1] < list || (at[1] === list && at[2] < statement));
  }
}
