// Whether a tool's own code is running in this thread: a loader or resolver installed with `--import`. The tool's reads
// of clocks and random numbers are not recorded, because a replay runs without the tool. When the tool passes on a
// source, the program runs, and its reads are recorded.

/** Whether a function that has replaced one of Node's is called by code outside of the program. */
export type IsHostCaller = (callee: (...args: never[]) => unknown) => boolean;

let isToolCode = false;

/** Whether a tool's own code is running, and not program code that the tool called. */
export function isToolRunning(): boolean {
  return isToolCode;
}

export function runAsTool<T>(run: () => T): T {
  const previous = setToolRunning(true);
  try {
    return run();
  } finally {
    setToolRunning(previous);
  }
}

/**
 * Sets whether a tool's own code is running, and returns the previous value. For callers that run the program, in which
 * a wrapper function would add a frame to all stacks.
 */
export function setToolRunning(isTool: boolean): boolean {
  const previous = isToolCode;
  isToolCode = isTool;
  return previous;
}
