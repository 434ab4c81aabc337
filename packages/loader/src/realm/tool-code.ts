// Whether a tool's own code runs in this thread: a loader or a resolver from `--import`. The tool's reads of clocks and
// random numbers are not recorded, because a replay runs without the tool. The program runs meanwhile when the tool
// passes on a source.

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
 * Sets the state and returns the previous one. For callers that run the program: a wrapper function would add a frame
 * to all stacks of the program.
 */
export function setToolRunning(isTool: boolean): boolean {
  const previous = isToolCode;
  isToolCode = isTool;
  return previous;
}
