// Stack depth at each statement of a task. Counting frames takes the time of a hundred statements, so they are counted
// only at the first statement of a call. Its later statements have the same depth, unless the stack has another call of
// the same function. In that case frames are counted at each statement. Of functions that can be suspended, TaskTracer
// keeps the depth of each run.
import util from 'node:util';

/** Node's limit for call sites; all deeper statements get this depth. */
const MAX_COUNTED_DEPTH = 200;

export class FrameDepths {
  /** Function numbers of the calls that may be on the stack, outermost first; `#depths` has the depths of the calls. */
  readonly #functions: number[] = [];
  readonly #depths: number[] = [];
  /** Functions that were called at the maximum depth or deeper. */
  readonly #deepFunctions = new Set<number>();

  /**
   * Depth of the statement that is about to begin.
   *
   * @param fn number of its function; -1 for top-level code and for functions that can be suspended
   * @param isFirst whether it is the first statement of its function
   */
  depthOfNext(fn: number, isFirst: boolean): number {
    const onlyCall = fn === -1 || isFirst || this.#deepFunctions.has(fn) ? -1 : this.#onlyCallOf(fn);
    if (onlyCall === -1) return this.#countFrames(fn);
    this.#truncate(onlyCall + 1);
    return this.#depths[onlyCall] as number;
  }

  /** Must be called when code at a known depth runs: deeper calls have returned. */
  returnTo(depth: number): void {
    const depths = this.#depths;
    let keptCalls = depths.length;
    while (keptCalls > 0 && (depths[keptCalls - 1] as number) >= depth) keptCalls--;
    this.#truncate(keptCalls);
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
    this.returnTo(depth);
    if (fn === -1) return depth;
    if (depth >= MAX_COUNTED_DEPTH) this.#deepFunctions.add(fn);
    const callCount = this.#depths.length;
    this.#functions[callCount] = fn;
    this.#depths[callCount] = depth;
    return depth;
  }

  /** Drops calls that have returned. */
  #truncate(keptCalls: number): void {
    this.#functions.length = keptCalls;
    this.#depths.length = keptCalls;
  }
}
