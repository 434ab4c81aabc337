// Search by halves, in whatever ascends.

/** The first from one on of which something holds that holds of all behind it, too; the end, if it holds of none. */
export function findFirst(from: number, end: number, isMatch: (at: number) => boolean): number {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isMatch(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Where those begin that are at least so much. */
export function lowerBound(values: ArrayLike<number>, value: number): number {
  return findFirst(0, values.length, (at) => (values[at] as number) >= value);
}
