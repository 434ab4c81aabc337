// What a context holds can only be seen from inside. To go there and look is no call of the program's: who is told of those is not told of it, least of
// all when it is they who look. A snapshot that heard of it wrote an actor while it was writing another one.
let isLooking = false;

export function isUnheard(): boolean {
  return isLooking;
}

/** `look` runs nothing of the program's. */
export function unheard<R>(look: () => R): R {
  const before = isLooking;
  isLooking = true;
  try {
    return look();
  } finally {
    isLooking = before;
  }
}
