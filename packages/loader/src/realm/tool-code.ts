// Whether a tool runs in this thread by itself: a loader or a resolver from `--import`. Its reads of clocks and random
// numbers are not recorded, because a replay runs without the tool. The program may run in between, when the tool
// passes on a source.

let isToolCode = false;

/** Whether a tool runs, and not the program called by it. */
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
 * Returns the previous value. For callers that run the program: a wrapper function would add a frame to all stacks of
 * the program.
 */
export function setToolRunning(isTool: boolean): boolean {
  const previous = isToolCode;
  isToolCode = isTool;
  return previous;
}
