// What of a lane is drawn: at most one run for each pixel, however many stretches there are, found by search in the lane and not by going through it. So a frame takes as long with a million as with a thousand.
import type { Scale } from './scale.ts';
import type { TimeLine } from './time-line.ts';

/** The first place whose value is at least so much, of values that ascend. */
function firstFrom(lane: Uint32Array, wanted: number, from: number, value: (order: number) => number): number {
  let step = 1;
  let low = from;
  // Most often it is near.
  while (low + step < lane.length && value(lane[low + step] as number) < wanted) {
    low += step;
    step *= 2;
  }
  let high = Math.min(lane.length, low + step);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (value(lane[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * @param lane an actor's stretches, ascending
 * @param width pixels
 * @param visit is told from the left to the right: where, the first stretch of those that come to stand there, and how many they are
 */
export function eachRun(
  lane: Uint32Array,
  { scale, width, timeLine }: { readonly scale: Scale; readonly width: number; readonly timeLine: TimeLine },
  visit: (x: number, order: number, count: number) => void,
): void {
  const value = (order: number): number => scale.valueOf(order, timeLine);
  const { to } = scale;
  let at = firstFrom(lane, scale.from, 0, value);
  // One that begins before is seen as well where stretches are wide.
  if (at > 0 && scale.by === 'order' && value(lane[at - 1] as number) + 1 > scale.from) at--;
  while (at < lane.length) {
    const order = lane[at] as number;
    const its = value(order);
    if (its > to) return;
    const x = Math.floor(scale.x(its, width));
    const next = Math.max(at + 1, firstFrom(lane, scale.at(x + 1, width), at, value));
    visit(x, order, next - at);
    at = next;
  }
}

/** The stretch of a lane that is nearest to a value. */
export function nearest(
  lane: Uint32Array,
  wanted: number,
  { scale, timeLine }: { readonly scale: Scale; readonly timeLine: TimeLine },
): number | undefined {
  const value = (order: number): number => scale.valueOf(order, timeLine);
  const at = firstFrom(lane, wanted, 0, value);
  const [before, behind] = [lane[at - 1], lane[at]];
  if (before === undefined || behind === undefined) return before ?? behind;
  // By order a stretch reaches up to the next.
  if (scale.by === 'order') return wanted >= value(behind) ? behind : before;
  return wanted - value(before) < value(behind) - wanted ? before : behind;
}

/** How much was done in each of so many equal pieces of the whole recording, the most being 1. */
export function profile(timeLine: TimeLine, scale: Scale, pieces: number): Float32Array {
  const found = new Float32Array(pieces);
  const length = scale.end - scale.begin;
  for (let order = 1; order <= timeLine.count; order++) {
    const at = Math.floor(((scale.valueOf(order, timeLine) - scale.begin) / length) * pieces);
    const piece = Math.max(0, Math.min(pieces - 1, at));
    found[piece] = (found[piece] as number) + 1 + (timeLine.lists[order - 1] as number);
  }
  let most = 1;
  for (const each of found) most = Math.max(most, each);
  return found.map((each) => (each === 0 ? 0 : Math.log1p(each) / Math.log1p(most)));
}
