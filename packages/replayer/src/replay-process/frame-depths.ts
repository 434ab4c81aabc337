// Stack depth at each statement of a task. Counting frames costs as much as a hundred statements, so it happens where a
// call begins. Later statements of the call have the same depth while the call is the only one of its function on the
// stack. Otherwise frames are counted again.
import util from 'node:util';

/** Node counts no further; deeper frames all get this depth. */
const MAX_COUNTED_DEPTH = 200;

export class FrameDepths {
  /** Numbers of the functions of calls that may be on the stack, outermost first, with their depths in `#depths`. */
  readonly #functions: number[] = [];
  readonly #depths: number[] = [];
  /** Functions that were called below the counted depth. */
  readonly #deepFunctions = new Set<number>();

  /**
   * Depth of the statement that is about to begin.
   *
   * @param fn the number of its function; -1 for top-level code and for functions that can be suspended
   * @param isFirst whether calls of the function begin with this statement
   */
  depthOfNext(fn: number, isFirst: boolean): number {
    const onlyCall = fn === -1 || isFirst || this.#deepFunctions.has(fn) ? -1 : this.#onlyCallOf(fn);
    if (onlyCall === -1) return this.#countFrames(fn);
    this.#truncate(onlyCall + 1);
    return this.#depths[onlyCall] as number;
  }

  /** Index of the only call of a function; -1 if there is none or more than one. */
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

  /** Drops calls that have returned. */
  #truncate(keptCalls: number): void {
    this.#functions.length = keptCalls;
    this.#depths.length = keptCalls;
  }
}
