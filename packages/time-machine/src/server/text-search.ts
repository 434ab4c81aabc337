// Full-text search in the texts of a run index. Even a million tasks share few titles, so a title is tested only once
// for each actor, method and kind.
import type { TaskGraph } from '../run-index/task-graph.ts';
import { SEARCH_SCOPES, TASK_KINDS } from '../task-log.ts';
import { taskStart, formatPosition } from '../position.ts';
import type { ParamsOf, ResultOf } from '../protocol.ts';
import { taskTitle } from '../run-index/task-title.ts';
import { eventText } from '../run-index/run-index.ts';

type SearchMatch = ResultOf<'search'>['matches'][number];

/** Number of tasks that are tested between two pauses. */
const TASKS_PER_PAUSE = 1 << 14;
const MAX_TEXT_LENGTH = 5000;
const ENTRY_KIND = TASK_KINDS.indexOf('entry');

/** @param pause lets other requests run; throws if the search is aborted */
export async function searchText(
  graph: TaskGraph,
  params: ParamsOf<'search'>,
  pause: (done: number, total: number) => Promise<void>,
): Promise<ResultOf<'search'>> {
  const { text, kinds = SEARCH_SCOPES, firstTask = 1, lastTask = Infinity, from, count, direction } = params;
  const needle = text.toLowerCase();
  const isMatch = (candidate: string): boolean => candidate.toLowerCase().includes(needle);
  const eventKinds = kinds.filter((kind): kind is Exclude<(typeof SEARCH_SCOPES)[number], 'task'> => kind !== 'task');
  const tasksWithEvents = new Set<number>(
    eventKinds.length === 0 ? [] : graph.tasksWithMatchingEvents(isMatch, ...eventKinds),
  );
  const isTitleMatch = kinds.includes('task') ? titleMatcher(graph, isMatch) : () => false;
  const step = direction === 'backward' ? -1 : 1;
  const matches: SearchMatch[] = [];
  const end = Math.min(lastTask, graph.count);
  let order = step > 0 ? Math.max(from, firstTask) : Math.min(from, end);
  for (let checked = 1; order >= firstTask && order <= end; order += step, checked++) {
    if (checked % TASKS_PER_PAUSE === 0) await pause(checked, end - firstTask + 1);
    const isTitled = isTitleMatch(order);
    if (!isTitled && !tasksWithEvents.has(order)) continue;
    const taskMatches = isTitled ? [titleMatch(graph, order)] : [];
    if (tasksWithEvents.has(order))
      for (const event of graph.runIndex.eventsAt(order)) {
        const kind = eventKinds.find((each) => each === event.kind);
        const candidate = eventText(event);
        if (kind !== undefined && candidate !== undefined && isMatch(candidate))
          taskMatches.push({ ...titleMatch(graph, order), kind, text: candidate.slice(0, MAX_TEXT_LENGTH) });
      }
    // Only whole tasks are returned, so that the client can continue with the next. An oversized first task is cut.
    if (matches.length > 0 && matches.length + taskMatches.length > count) return { matches, next: order };
    matches.push(...(step > 0 ? taskMatches : taskMatches.toReversed()).slice(0, count));
  }
  return { matches, next: undefined };
}

function titleMatch(graph: TaskGraph, order: number): SearchMatch {
  const task = graph.runIndex.task(order);
  const position = formatPosition(taskStart(order), graph.phases);
  return { position, order, time: task.time, kind: 'task', text: taskTitle(task).slice(0, MAX_TEXT_LENGTH) };
}

/** Returns a test for tasks whose titles match. */
function titleMatcher({ runIndex }: TaskGraph, isMatch: (candidate: string) => boolean): (order: number) => boolean {
  const { columns, order: rows, texts } = runIndex.tables;
  const cache = new Map<number, boolean>();
  return (order) => {
    const row = rows[order - 1] as number;
    const kind = columns.kinds.at(row);
    // The title of an entry contains the number of its callback, so it is not shared.
    if (kind === ENTRY_KIND) return isMatch(taskTitle(runIndex.task(order)));
    const key = (columns.actors.at(row) * texts.length + columns.methods.at(row)) * TASK_KINDS.length + kind;
    let containsText = cache.get(key);
    if (containsText === undefined) cache.set(key, (containsText = isMatch(taskTitle(runIndex.task(order)))));
    return containsText;
  };
}
