/** The first number in `from`…`end` (exclusive) that matches; `end` if none does. All after a match must match. */
export function findFirst(from: number, end: number, isMatch: (index: number) => boolean): number {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isMatch(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Index of the first value that is at least `value`; the length if there is none. The values must be ascending. */
export function lowerBound(values: ArrayLike<number>, value: number): number {
  return findFirst(0, values.length, (index) => (values[index] as number) >= value);
}
