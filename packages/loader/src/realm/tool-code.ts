// Whether code of a tool is running in this thread, on its own behalf: a loader, a resolver that came with `--import`. What it asks of clocks and
// chance is no matter of the program's, which is run again without it. In the midst of it the program may run, when the tool hands over a text.

let isToolCode = false;

/** A tool runs, and nothing of the program that it has called. */
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

/** Answers what it was. For who runs the program: a function in between would be one more frame on each stack of its. */
export function setToolRunning(isTool: boolean): boolean {
  const previous = isToolCode;
  isToolCode = isTool;
  return previous;
}
