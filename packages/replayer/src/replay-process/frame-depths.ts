// How deep the stack is at each statement of a stretch. To count frames takes as long as a hundred statements, so it is done where a call begins; further statements of that call are as deep, as
// long as it is the only one of its function that may be on the stack. Where it is not, or cannot be told by the statement which one goes on, frames are counted.
import util from 'node:util';

/** Node counts no further: frames below are all as deep. */
const DEEPEST = 200;

export class FrameDepths {
  /** Calls that may be on the stack, the outermost first: the numbers of their functions, and how deep each is. */
  readonly #functions: number[] = [];
  readonly #depths: number[] = [];
  /** Functions that have been called further down than is counted. */
  readonly #deep = new Set<number>();

  /**
   * Of the statement that is about to begin.
   * @param fn the number of its function; -1 of code that is none, or can be suspended and goes on where somebody else calls it
   * @param isFirst it is the one that calls of that begin with
   */
  next(fn: number, isFirst: boolean): number {
    const only = fn === -1 || isFirst || this.#deep.has(fn) ? -1 : this.#onlyOf(fn);
    if (only === -1) return this.#counted(fn);
    this.#keep(only + 1);
    return this.#depths[only] as number;
  }

  /** The place of the only call of a function; -1 if there is none, or another one. */
  #onlyOf(fn: number): number {
    const functions = this.#functions;
    let found = -1;
    for (let i = functions.length - 1; i >= 0; i--) {
      if (functions[i] !== fn) continue;
      if (found !== -1) return -1;
      found = i;
    }
    return found;
  }

  #counted(fn: number): number {
    const depth = util.getCallSites(DEEPEST).length;
    const depths = this.#depths;
    let count = depths.length;
    while (count > 0 && (depths[count - 1] as number) >= depth) count--;
    this.#keep(count);
    if (fn === -1) return depth;
    if (depth >= DEEPEST) this.#deep.add(fn);
    this.#functions[count] = fn;
    depths[count] = depth;
    return depth;
  }

  /** What was called by those has returned. */
  #keep(count: number): void {
    this.#functions.length = count;
    this.#depths.length = count;
  }
}
