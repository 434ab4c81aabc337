// What of a lane is drawn: at most one run for each pixel, however many stretches there are, found by search in the lane and not by going through it. So a frame takes as long with a million as with a thousand.
import type { Scale } from './scale.ts';
import type { TimeLine } from './time-line.ts';

/** The first place from one on of which that does not hold; it holds of none behind that. */
function firstFrom(lane: Uint32Array, from: number, isBefore: (order: number) => boolean): number {
  let step = 1;
  let low = from;
  // Most often it is near.
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
  const pixel = (order: number): number => Math.floor(scale.x(value(order), width));
  let at = firstFrom(lane, 0, (order) => value(order) < scale.from);
  const end = firstFrom(lane, at, (order) => value(order) <= scale.to);
  // One that begins before is seen as well where stretches are wide.
  if (at > 0 && scale.by === 'order' && value(lane[at - 1] as number) + 1 > scale.from) at--;
  while (at < end) {
    const order = lane[at] as number;
    const x = pixel(order);
    const next = Math.min(
      end,
      firstFrom(lane, at + 1, (each) => pixel(each) <= x),
    );
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
  const at = firstFrom(lane, 0, (order) => value(order) < wanted);
  const [before, behind] = [lane[at - 1], lane[at]];
  if (before === undefined || behind === undefined) return before ?? behind;
  // By order a stretch is one wide.
  const end = value(before) + (scale.by === 'order' ? 1 : 0);
  return wanted - end < value(behind) - wanted ? before : behind;
}

/** How much was done in each of so many equal pieces of the whole recording, the most being 1. */
export function profile(timeLine: TimeLine, scale: Scale, pieces: number): Float32Array {
  const found = new Float32Array(pieces);
  const length = scale.end - scale.begin;
  for (let order = 1; order <= timeLine.filled; order++) {
    const at = Math.floor(((scale.valueOf(order, timeLine) - scale.begin) / length) * pieces);
    const piece = Math.max(0, Math.min(pieces - 1, at));
    found[piece] = (found[piece] as number) + 1 + timeLine.lists(order);
  }
  let most = 1;
  for (const each of found) most = Math.max(most, each);
  return found.map((each) => (each === 0 ? 0 : Math.log1p(each) / Math.log1p(most)));
}
