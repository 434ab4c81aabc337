// Tasks, statements, events and requests in the form of the client protocol.
import { lowerBound } from '../../binary-search.ts';
import { firstLineMatcher, textMatcher } from '../../moves/pattern.ts';
import { canHaveText } from '../../task-log.ts';
import type { TaskGraph } from '../../run-index/task-graph.ts';
import { taskStart, formatPosition } from '../../position.ts';
import type { ParamsOf, ResultOf, StatementInfo, TaskInfo } from '../../protocol.ts';
import { taskTitle } from '../../run-index/task-title.ts';
import { eventText, type RunEvent } from '../../run-index/run-index.ts';
import type { StatementLocation } from '../../replay-process/task-trace.ts';

type ServedRequestInfo = ResultOf<'requests'>['requests'][number];

/** Maximum number of events of one task that include their printed texts: a task may print a thousand lines. */
const MAX_EVENT_TEXTS = 20;
/** Maximum length of an event's text, in UTF-16 units. */
const MAX_TEXT_LENGTH = 2000;

export function taskInfo(graph: TaskGraph, order: number): TaskInfo {
  const events = graph.runIndex.eventsAt(order).filter(isListed);
  const task = graph.runIndex.task(order);
  const isEntry = task.kind === 'entry';
  return {
    position: formatPosition(taskStart(order), graph.phases),
    order,
    worker: task.worker,
    epoch: task.epoch,
    number: task.number,
    kind: task.kind,
    title: taskTitle(task),
    actor: task.actor,
    method: isEntry ? undefined : task.method,
    source: isEntry ? task.method : undefined,
    methodLocation: task.methodLocation,
    turn: task.turn,
    traceEvent: task.traceEvent,
    time: task.time,
    statementLists: task.statementLists,
    sentCount: task.sentCount,
    sender: task.sender,
    events: events.map((event, i) => eventInfo(i < MAX_EVENT_TEXTS ? event : { ...event, text: undefined })),
  };
}

export function statementInfo(place: StatementLocation): StatementInfo {
  const { file, line, column, endLine, endColumn, function: name, kind } = place;
  return { file, line, column, endLine, endColumn, function: name, kind };
}

export function eventInfo({ kind, value, request, text }: RunEvent): TaskInfo['events'][number] {
  return { kind, value: typeof value === 'string' ? value.slice(0, MAX_TEXT_LENGTH) : value, request, text };
}

/** Whether events of a kind are listed with their task. A task may have many host calls, so `events` returns those. */
export function isListed({ kind }: Pick<RunEvent, 'kind'>): boolean {
  return kind !== 'device';
}

export function eventsPage(
  graph: TaskGraph,
  { kinds, text, firstTask = 1, lastTask = Infinity, from, count, direction = 'forward' }: ParamsOf<'events'>,
): ResultOf<'events'> {
  const matches = text === undefined ? undefined : firstLineMatcher(text);
  const orders =
    matches === undefined
      ? graph.tasksWithEvents(...kinds)
      : graph.tasksWithMatchingEvents(matches, ...kinds.filter(canHaveText));
  const isForward = direction === 'forward';
  const begin = isForward
    ? lowerBound(orders, Math.max(from, firstTask))
    : lowerBound(orders, Math.min(from, lastTask) + 1) - 1;
  const found: ResultOf<'events'>['events'][number][] = [];
  for (let at = begin; at >= 0 && at < orders.length; at += isForward ? 1 : -1) {
    const order = orders[at] as number;
    if (order < firstTask || order > lastTask) break;
    const events = graph.runIndex
      .eventsAt(order)
      .filter((event) => kinds.includes(event.kind) && (matches === undefined || matches(eventText(event) ?? '')));
    // Only whole tasks are returned, so that the client can continue with the next. An oversized first task is cut.
    if (found.length > 0 && found.length + events.length > count) return { events: found, next: order };
    const position = formatPosition(taskStart(order), graph.phases);
    const { time } = graph.runIndex.task(order);
    for (const event of (isForward ? events : events.toReversed()).slice(0, count))
      found.push({ position, order, time, ...eventInfo(event) });
  }
  return { events: found, next: undefined };
}

export function requestsPage(
  graph: TaskGraph,
  { text, status, state, sort, firstTask = 1, lastTask = graph.count, from = 0, count }: ParamsOf<'requests'>,
): ResultOf<'requests'> {
  const { requests } = graph.runIndex;
  const numbers = requests.numbers({
    matches: text === undefined ? undefined : textMatcher(text),
    status,
    state,
    between: [firstTask, lastTask],
    isSlowestFirst: sort === 'slowest',
  });
  return { requests: numbers.slice(from, from + count).map((each) => requestInfo(graph, each)), total: numbers.length };
}

function requestInfo(graph: TaskGraph, number: number): ServedRequestInfo {
  const { method, url, status, received, answered, durationMs } = graph.runIndex.requests.request(number);
  const { worker, actor } = graph.runIndex.task(received ?? answered ?? 1);
  return {
    number,
    method,
    url,
    status,
    worker,
    actor,
    received: received === undefined ? undefined : taskReference(graph, received),
    answered: answered === undefined ? undefined : taskReference(graph, answered),
    durationMs,
  };
}

function taskReference(graph: TaskGraph, order: number): NonNullable<ServedRequestInfo['received']> {
  const position = formatPosition(taskStart(order), graph.phases);
  return { position, order, time: graph.runIndex.task(order).time };
}
