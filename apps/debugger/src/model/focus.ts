// The piece of a recording that views are narrowed to: from one stretch to another, both within. What somebody has no time to look at is left out everywhere alike.
import type { ResultOf } from '@turntable/time-machine/protocol';
import type { TimeLine } from './time-line.ts';

export interface Focus {
  /** Places of stretches among all. */
  readonly from: number;
  readonly to: number;
}

/** Everything is, as long as nobody has chosen a piece. */
export function isIn(focus: Focus | undefined, order: number): boolean {
  return focus === undefined || (order >= focus.from && order <= focus.to);
}

/** Between two stretches, in whichever order. */
export function between(one: number, other: number, count: number): Focus {
  const [from, to] = one < other ? [one, other] : [other, one];
  return { from: Math.max(1, Math.min(count, from)), to: Math.max(1, Math.min(count, to)) };
}

/** All that has begun between two times; undefined, if nothing has. @param from milliseconds since the first began */
export function begunBetween(timeLine: TimeLine, from: number, to: number): Focus | undefined {
  let first: number | undefined;
  let last = 0;
  for (let order = 1; order <= timeLine.filled; order++) {
    const time = timeLine.time(order);
    if (time < from || time > to) continue;
    first ??= order;
    last = order;
  }
  return first === undefined ? undefined : { from: first, to: last };
}

/** The place of the stretch that a position is of: `2.137:45.2` is of the 137th of phase 2. */
export function orderOf(position: string, phases: ResultOf<'hello'>['phases']): number | undefined {
  const [, phase, number] = /^(\d+)\.(\d+)/.exec(position) ?? [];
  const begin = phases.find((each) => each.phase === Number(phase))?.begin;
  return begin === undefined ? undefined : begin + Number(number) - 1;
}
