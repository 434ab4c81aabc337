// Marks inspections of an async context, whose contents can only be read after entering it. Observers of the program's
// calls must not be notified of such an entry: a snapshot that was notified would capture an actor while capturing
// another one.
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
