// The drawn runs of a lane, a lane being the tasks of a row of the timeline: at most one run for each pixel, found by
// search, so that drawing takes the same time for a thousand and a million tasks. Also finds the task near a point.
import type { Scale } from './scale.ts';
import type { Timeline } from './timeline.ts';

/** Returns the first index from `from` on for which `isBefore` is false. It must not become true again after that. */
function lowerBoundFrom(lane: Uint32Array, from: number, isBefore: (order: number) => boolean): number {
  let step = 1;
  let low = from;
  // A galloping search is fast, because the index is usually near.
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
 * Visits the runs of a lane from left to right with x coordinate, first task and number of tasks.
 * @param lane orders of tasks, ascending
 * @param width of the visible range in pixels
 */
export function forEachLaneRun(
  lane: Uint32Array,
  { scale, width, timeline }: { readonly scale: Scale; readonly width: number; readonly timeline: Timeline },
  visit: (x: number, order: number, count: number) => void,
): void {
  const value = (order: number): number => scale.valueOf(order, timeline);
  const pixel = (order: number): number => Math.floor(scale.x(value(order), width));
  let index = lowerBoundFrom(lane, 0, (order) => value(order) < scale.from);
  const end = lowerBoundFrom(lane, index, (order) => value(order) <= scale.to);
  // On the order scale a task has width 1, so the task before may reach into the visible range.
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

/** Returns the task of a lane that is nearest to a value of the scale; undefined if the lane is empty. */
export function nearestTask(
  lane: Uint32Array,
  target: number,
  { scale, timeline }: { readonly scale: Scale; readonly timeline: Timeline },
): number | undefined {
  const value = (order: number): number => scale.valueOf(order, timeline);
  const index = lowerBoundFrom(lane, 0, (order) => value(order) < target);
  const [before, after] = [lane[index - 1], lane[index]];
  if (before === undefined || after === undefined) return before ?? after;
  // On the order scale a task has width 1, on the time scale none.
  const end = value(before) + (scale.kind === 'order' ? 1 : 0);
  return target - end < value(after) - target ? before : after;
}

/** Returns the activity in each of equal parts of the recording, from 0 to 1 on a logarithmic scale. */
export function activityProfile(timeline: Timeline, scale: Scale, bucketCount: number): Float32Array {
  const weights = new Float32Array(bucketCount);
  const length = scale.end - scale.start;
  for (let order = 1; order <= timeline.loadedCount; order++) {
    const index = Math.floor(((scale.valueOf(order, timeline) - scale.start) / length) * bucketCount);
    const bucket = Math.max(0, Math.min(bucketCount - 1, index));
    weights[bucket] = (weights[bucket] as number) + 1 + timeline.statementListsOf(order);
  }
  let maxWeight = 1;
  for (const each of weights) maxWeight = Math.max(maxWeight, each);
  return weights.map((each) => (each === 0 ? 0 : Math.log1p(each) / Math.log1p(maxWeight)));
}
