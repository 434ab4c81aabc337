// The piece of a recording that views are narrowed to: from one task to another, both within. What somebody has no time to look at is left out everywhere alike.
import type { ResultOf } from '@turntable/time-machine/protocol';
import type { TimeLine } from './time-line.ts';

export interface Focus {
  /** Places of tasks among all. */
  readonly from: number;
  readonly to: number;
}

/** Everything is, as long as nobody has chosen a piece. */
export function isInFocus(focus: Focus | undefined, order: number): boolean {
  return focus === undefined || (order >= focus.from && order <= focus.to);
}

/** Between two tasks, in whichever order. */
export function focusBetween(first: number, second: number, count: number): Focus {
  const [from, to] = first < second ? [first, second] : [second, first];
  return { from: Math.max(1, Math.min(count, from)), to: Math.max(1, Math.min(count, to)) };
}

/** All that has begun between two times; undefined, if nothing has. @param fromMs milliseconds since the first began */
export function focusByTime(timeLine: TimeLine, fromMs: number, toMs: number): Focus | undefined {
  let first: number | undefined;
  let last = 0;
  for (let order = 1; order <= timeLine.loadedCount; order++) {
    const time = timeLine.startMs(order);
    if (time < fromMs || time > toMs) continue;
    first ??= order;
    last = order;
  }
  return first === undefined ? undefined : { from: first, to: last };
}

/** The place of the task that a position is of: `2.137:45.2` is of the 137th of phase 2. */
export function orderOfPosition(position: string, phases: ResultOf<'hello'>['phases']): number | undefined {
  const [, phase, taskNumber] = /^(\d+)\.(\d+)/.exec(position) ?? [];
  const firstTask = phases.find((each) => each.phase === Number(phase))?.firstTask;
  return firstTask === undefined ? undefined : firstTask + Number(taskNumber) - 1;
}
