// Search for a recent last write in the process of a cursor, which starts no other process. The process re-executes its
// current task in place and tracks the writes, then earlier tasks, while its undo logs reach them and a write may be in
// them. ReplayDriver calls this first. Where it finds nothing, the slower WriteSearch (write-search.ts) takes over.
import { isTaskStart } from '../position.ts';
import type { SeekPlan } from './seek-plan.ts';
import type { ReplayCursor } from './replay-cursor.ts';
import { isConclusive, type WriteResult } from './write-result.ts';
import type { WriteQuery } from './protocol.ts';

/** Tasks before the current one that are re-executed for one search. */
const MAX_EARLIER_TASKS = 8;
/** Lists of statements. Re-executing a longer task would block the process in which the user inspects values. */
const MAX_TASK_LISTS = 1_000_000;

/** The last write before the pause point of a cursor; unwritten if this process cannot tell. */
export async function findRecentWrite(cursor: ReplayCursor, plan: SeekPlan, query: WriteQuery): Promise<WriteResult> {
  const unknown = { kind: 'unwritten', part: query.expression, isApproximate: false, position: undefined } as const;
  const { position } = cursor.pausePoint;
  const thread = plan.threadOf(position.order);
  if (thread === undefined || isTaskStart(position)) return unknown;
  const isLong = (order: number): boolean => plan.workBetween(order, order + 1) > MAX_TASK_LISTS;
  // A task that cannot be undone would cost the user the process at this position.
  if (isLong(position.order) || !(await cursor.request('canUndo', undefined))) return unknown;
  let process = await cursor.trackCurrentTask();
  for (let i = 0; i <= MAX_EARLIER_TASKS && process !== undefined; i++) {
    const request = { ...query, isWholeRecording: false, isContinued: i > 0 };
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
