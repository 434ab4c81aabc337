/** The first number that matches, at least `from` and below `end`; `end` if none does. All after a match must match. */
export function findFirst(from: number, end: number, isMatch: (index: number) => boolean): number {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isMatch(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Index of the first of ascending numbers that is at least `value`; their count if there is none. */
export function lowerBound(values: ArrayLike<number>, value: number): number {
  return findFirst(0, values.length, (index) => (values[index] as number) >= value);
}
