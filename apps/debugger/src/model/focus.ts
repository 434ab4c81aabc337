// The focus: a range of tasks to which the user limits the views. A task is given by its order, its number among all
// tasks of the recording, from 1 on.
import type { ResultOf } from '@turntable/time-machine/protocol';
import type { Timeline } from './timeline.ts';

export interface Focus {
  /** Orders of the first and last task in the range. */
  readonly from: number;
  readonly to: number;
}

/** Whether a task is in the focus; always true without a focus. */
export function isInFocus(focus: Focus | undefined, order: number): boolean {
  return focus === undefined || (order >= focus.from && order <= focus.to);
}

/** Returns the range between two tasks, in either order, limited to the recording's `count` tasks. */
export function focusBetween(first: number, second: number, count: number): Focus {
  const [from, to] = first < second ? [first, second] : [second, first];
  return { from: Math.max(1, Math.min(count, from)), to: Math.max(1, Math.min(count, to)) };
}

/** Returns the loaded tasks that started between two times, in milliseconds since the first; undefined if none did. */
export function focusByTime(timeline: Timeline, fromMs: number, toMs: number): Focus | undefined {
  let first: number | undefined;
  let last = 0;
  for (let order = 1; order <= timeline.loadedCount; order++) {
    const time = timeline.startMs(order);
    if (time < fromMs || time > toMs) continue;
    first ??= order;
    last = order;
  }
  return first === undefined ? undefined : { from: first, to: last };
}

/** Returns the order of a position's task: `2.137:45.2` is in task 137 of phase 2. Undefined for an unknown phase. */
export function orderOfPosition(position: string, phases: ResultOf<'hello'>['phases']): number | undefined {
  const [, phase, taskNumber] = /^(\d+)\.(\d+)/.exec(position) ?? [];
  const firstTask = phases.find((each) => each.phase === Number(phase))?.firstTask;
  return firstTask === undefined ? undefined : firstTask + Number(taskNumber) - 1;
}
