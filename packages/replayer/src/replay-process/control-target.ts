// The target of a run: the statement of the last allowed task at which the thread must pause, as its control words give
// it. ThreadController uses it while the thread runs forward, InPlaceUndo while it re-executes a task.
import type { StatementClock, StatementPosition } from '@turntable/core';
import type { ControlTarget } from './control-words.ts';

/** Whether the statement that is about to begin, at this position, is the target or a later one. */
export function isTargetReached(target: ControlTarget, list: number, statement: number): boolean {
  if (target === undefined) return false;
  return target === 'next' || (list - target.list || statement - target.statement) >= 0;
}

/**
 * Whether the target is at or before the position, so that a thread that resumes there cannot reach it. The position is
 * undefined before the first statement.
 */
export function isTargetPassed(target: ControlTarget, position: StatementPosition | undefined): boolean {
  return (
    typeof target === 'object' && position !== undefined && isTargetReached(target, position.list, position.statement)
  );
}

type StatementHit = Parameters<StatementClock['stopNext']>[0];

/** Makes the clock call `onHit` at the target, in the current task. */
export function armTarget(clock: StatementClock | undefined, target: ControlTarget, onHit: StatementHit): void {
  if (target === 'next') clock?.stopNext(onHit);
  else if (target !== undefined) clock?.stopAt(target, onHit);
}
