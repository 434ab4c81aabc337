// What a context holds can only be seen from inside. To go there and look is no call of the program's: who is told of those is not told of it, least of
// all when it is they who look. A snapshot that heard of it wrote an actor while it was writing another one.
let isContextInspected = false;

export function isInspectingContext(): boolean {
  return isContextInspected;
}

/** `inspect` runs nothing of the program's. */
export function inspectContext<R>(inspect: () => R): R {
  const previous = isContextInspected;
  isContextInspected = true;
  try {
    return inspect();
  } finally {
    isContextInspected = previous;
  }
}
