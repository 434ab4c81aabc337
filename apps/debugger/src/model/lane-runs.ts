// The drawn runs of a lane: at most one run a pixel, found by binary search. Drawing a frame takes the same time for a
// thousand and a million tasks.
import type { Scale } from './scale.ts';
import type { TimeLine } from './time-line.ts';

/**
 * The first index from `from` on for which `isBefore` is false; it is true for all earlier and false for all later
 * ones.
 */
function lowerBoundFrom(lane: Uint32Array, from: number, isBefore: (order: number) => boolean): number {
  let step = 1;
  let low = from;
  // Galloping search, because the index is usually near.
  while (low + step < lane.length && isBefore(lane[low + step] as number)) {
    low += step;
    step *= 2;
  }
  let high = Math.min(lane.length, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBefore(lane[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * @param lane an actor's tasks, ascending
 * @param width in pixels
 * @param visit called from left to right with the x coordinate, the first task there, and the number of tasks
 */
export function forEachLaneRun(
  lane: Uint32Array,
  { scale, width, timeLine }: { readonly scale: Scale; readonly width: number; readonly timeLine: TimeLine },
  visit: (x: number, order: number, count: number) => void,
): void {
  const value = (order: number): number => scale.valueOf(order, timeLine);
  const pixel = (order: number): number => Math.floor(scale.x(value(order), width));
  let index = lowerBoundFrom(lane, 0, (order) => value(order) < scale.from);
  const end = lowerBoundFrom(lane, index, (order) => value(order) <= scale.to);
  // A wide task may start left of the visible range.
  if (index > 0 && scale.kind === 'order' && value(lane[index - 1] as number) + 1 > scale.from) index--;
  while (index < end) {
    const order = lane[index] as number;
    const x = pixel(order);
    const next = Math.min(
      end,
      lowerBoundFrom(lane, index + 1, (each) => pixel(each) <= x),
    );
    visit(x, order, next - index);
    index = next;
  }
}

/** The task of a lane nearest to a value. */
export function nearestTask(
  lane: Uint32Array,
  target: number,
  { scale, timeLine }: { readonly scale: Scale; readonly timeLine: TimeLine },
): number | undefined {
  const value = (order: number): number => scale.valueOf(order, timeLine);
  const index = lowerBoundFrom(lane, 0, (order) => value(order) < target);
  const [before, after] = [lane[index - 1], lane[index]];
  if (before === undefined || after === undefined) return before ?? after;
  // On the order scale a task has width 1.
  const end = value(before) + (scale.kind === 'order' ? 1 : 0);
  return target - end < value(after) - target ? before : after;
}

/** Activity in equal parts of the recording, relative to the highest. */
export function activityProfile(timeLine: TimeLine, scale: Scale, bucketCount: number): Float32Array {
  const weights = new Float32Array(bucketCount);
  const length = scale.end - scale.start;
  for (let order = 1; order <= timeLine.loadedCount; order++) {
    const index = Math.floor(((scale.valueOf(order, timeLine) - scale.start) / length) * bucketCount);
    const bucket = Math.max(0, Math.min(bucketCount - 1, index));
    weights[bucket] = (weights[bucket] as number) + 1 + timeLine.statementListsOf(order);
  }
  let maxWeight = 1;
  for (const each of weights) maxWeight = Math.max(maxWeight, each);
  return weights.map((each) => (each === 0 ? 0 : Math.log1p(each) / Math.log1p(maxWeight)));
}
