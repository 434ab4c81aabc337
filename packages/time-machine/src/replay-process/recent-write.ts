// Search for a recent last write in the process of a cursor, without any other process. The process re-executes its
// current task in place and tracks the writes. Then it does so with earlier tasks that may contain the write, while its
// undo logs reach them. ReplayDriver calls this first; if nothing is found, the slower WriteSearch (write-search.ts)
// takes over.
//
// The user inspects values in this process, so the search must neither block it for long nor lose its position.
// Therefore, the search does not touch tasks that are long or cannot be undone.
import { isTaskStart } from '../position.ts';
import type { SeekPlan } from './seek-plan.ts';
import type { ReplayCursor } from './replay-cursor.ts';
import { isConclusive, type WriteResult } from './write-result.ts';
import type { WriteQuery } from './write-requests.ts';

/** Maximum number of tasks before the current one that are re-executed for one search. */
const MAX_EARLIER_TASKS = 8;
/** Maximum work of a task that may be re-executed, in statement lists. */
const MAX_TASK_LISTS = 1_000_000;

/** Finds the last write before a cursor's pause point. The result is `unwritten` if this process cannot tell. */
export async function findRecentWrite(cursor: ReplayCursor, plan: SeekPlan, query: WriteQuery): Promise<WriteResult> {
  const unknown = { kind: 'unwritten', part: query.expression, isApproximate: false, position: undefined } as const;
  const { position } = cursor.pausePoint;
  const thread = plan.threadOf(position.order);
  if (thread === undefined || isTaskStart(position)) return unknown;
  const isLong = (order: number): boolean => plan.workBetween(order, order + 1) > MAX_TASK_LISTS;
  if (isLong(position.order) || !(await cursor.request('canUndo', undefined))) return unknown;
  let process = await cursor.trackCurrentTask();
  for (let tasksBack = 0; process !== undefined && tasksBack <= MAX_EARLIER_TASKS; tasksBack++) {
    const request = { ...query, isWholeRecording: false, isContinued: tasksBack > 0 };
    const answer = await process.coordinator.request(thread, 'lastWrite', request);
    const { at, kind, isPure, isUndone = false, ...write } = answer;
    cursor.noteEvaluation({ isPure, isUndone });
    const [task = 0, list = 0, statement = 0] = at ?? [];
    const order = at && plan.orderOf(thread, task, process.startOrder);
    const found = order === undefined ? undefined : { order, list, statement };
    if (kind !== 'earlier') return isConclusive(kind) ? { ...write, kind, position: found } : unknown;
    if (order === undefined || isLong(order)) return unknown;
    process = await cursor.trackTask(order);
  }
  return unknown;
}
