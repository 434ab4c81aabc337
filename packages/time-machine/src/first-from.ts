// Search by halves, in whatever ascends.

/** The first from one on of which something holds that holds of all behind it, too; the end, if it holds of none. */
export function firstThat(from: number, end: number, holds: (at: number) => boolean): number {
  let [low, high] = [from, end];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Where those begin that are at least so much. */
export function firstFrom(those: ArrayLike<number>, value: number): number {
  return firstThat(0, those.length, (at) => (those[at] as number) >= value);
}
