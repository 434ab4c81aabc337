// How deep the stack is at each statement of a task. To count frames takes as long as a hundred statements, so it is done where a call begins; further statements of that call are as deep, as
// long as it is the only one of its function that may be on the stack. Where it is not, or cannot be told by the statement which one goes on, frames are counted.
import util from 'node:util';

/** Node counts no further: frames below are all as deep. */
const MAX_COUNTED_DEPTH = 200;

export class FrameDepths {
  /** Calls that may be on the stack, the outermost first: the numbers of their functions, and how deep each is. */
  readonly #functions: number[] = [];
  readonly #depths: number[] = [];
  /** Functions that have been called further down than is counted. */
  readonly #deepFunctions = new Set<number>();

  /**
   * Of the statement that is about to begin.
   * @param fn the number of its function; -1 of code that is none, or can be suspended and goes on where somebody else calls it
   * @param isFirst it is the one that calls of that begin with
   */
  depthOfNext(fn: number, isFirst: boolean): number {
    const onlyCall = fn === -1 || isFirst || this.#deepFunctions.has(fn) ? -1 : this.#onlyCallOf(fn);
    if (onlyCall === -1) return this.#countFrames(fn);
    this.#truncate(onlyCall + 1);
    return this.#depths[onlyCall] as number;
  }

  /** The place of the only call of a function; -1 if there is none, or another one. */
  #onlyCallOf(fn: number): number {
    const functions = this.#functions;
    let index = -1;
    for (let i = functions.length - 1; i >= 0; i--) {
      if (functions[i] !== fn) continue;
      if (index !== -1) return -1;
      index = i;
    }
    return index;
  }

  #countFrames(fn: number): number {
    const depth = util.getCallSites(MAX_COUNTED_DEPTH).length;
    const depths = this.#depths;
    let keptCalls = depths.length;
    while (keptCalls > 0 && (depths[keptCalls - 1] as number) >= depth) keptCalls--;
    this.#truncate(keptCalls);
    if (fn === -1) return depth;
    if (depth >= MAX_COUNTED_DEPTH) this.#deepFunctions.add(fn);
    this.#functions[keptCalls] = fn;
    depths[keptCalls] = depth;
    return depth;
  }

  /** What was called by those has returned. */
  #truncate(keptCalls: number): void {
    this.#functions.length = keptCalls;
    this.#depths.length = keptCalls;
  }
}
