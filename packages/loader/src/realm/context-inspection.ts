// Marks reads of an async context, whose contents can only be seen from inside. Entering it for this is no call by the
// program and is not reported to observers of such calls: a snapshot that was notified would capture an actor while
// capturing another one.
let isContextInspected = false;

export function isInspectingContext(): boolean {
  return isContextInspected;
}

/** Runs `inspect`, which must not run code of the program. */
export function inspectContext<R>(inspect: () => R): R {
  const previous = isContextInspected;
  isContextInspected = true;
  try {
    return inspect();
  } finally {
    isContextInspected = previous;
  }
}
