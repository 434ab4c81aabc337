// Who has written something last, where an engine stands already: its process runs the task once more, and those before of which it can go back into, as long as that may say who. Nothing is begun
// for it, and only what was written long ago, or with the making of an object, is left to another process (recorded-writes.ts).
import { isTaskStart } from '../position.ts';
import type { SeekPlan } from './seek-plan.ts';
import type { ReplayCursor } from './replay-cursor.ts';
import { isConclusive, type WriteResult } from './write-result.ts';
import type { WriteQuery } from './protocol.ts';

/** Tasks before that are run once more. */
const MAX_EARLIER_TASKS = 8;
/** Lists of statements of a task that nobody waits for, in a process that somebody looks into. */
const MAX_TASK_LISTS = 1_000_000;

/** Unwritten, if that is all that can be known there. */
export async function findRecentWrite(cursor: ReplayCursor, plan: SeekPlan, query: WriteQuery): Promise<WriteResult> {
  const unwritten: WriteResult = {
    kind: 'unwritten',
    part: query.expression,
    isApproximate: false,
    position: undefined,
  };
  const { position } = cursor.pausePoint;
  const thread = plan.threadOf(position.order);
  if (thread === undefined || isTaskStart(position)) return unwritten;
  const isLong = (order: number): boolean => plan.workBetween(order, order + 1) > MAX_TASK_LISTS;
  // Whoever stands there shall go on standing there.
  if (isLong(position.order) || !(await cursor.request('canUndo', undefined))) return unwritten;
  let process = await cursor.trackCurrentTask();
  for (let i = 0; i <= MAX_EARLIER_TASKS && process !== undefined; i++) {
    const request = { ...query, isWholeRecording: false, isContinued: i > 0 };
    const {
      at: location,
      kind,
      isPure,
      isUndone = false,
      ...write
    } = await process.coordinator.request(thread, 'lastWrite', request);
    cursor.noteEvaluation({ isPure, isUndone });
    const [task = 0, list = 0, statement = 0] = location ?? [];
    const order = location && plan.orderOf(thread, task, process.startOrder);
    const found = order === undefined ? undefined : { order, list, statement };
    if (kind !== 'earlier') return isConclusive(kind) ? { ...write, kind, position: found } : unwritten;
    if (order === undefined || isLong(order)) return unwritten;
    process = await cursor.trackTask(order);
  }
  return unwritten;
}
