// All moves between tasks. A new move is an entry here; protocol, terminal and documentation use its description.
import { EVENT_KIND_GROUPS } from '../run-event-kinds.ts';
import { patternMatcher } from './pattern.ts';
import { taskTitle } from '../run-index/task-title.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';
import { DIRECTIONS, TEXT_PARAMETER, textFilter } from './move.ts';
import type { MoveArguments, MoveDestination, Move, MoveParameter, TaskDestination } from './move.ts';

const ERROR_TEXT = textParameter('the error message');
const NUMBER_PARAMETER: MoveParameter = {
  name: 'number',
  kind: 'number',
  title: 'which one, from 1 on',
  defaultDescription: 'the first',
};
const BOTH_DIRECTIONS = { directions: DIRECTIONS, parameters: [] } as const;
const NO_DIRECTION = { directions: [], parameters: [] } as const;

/** Reason why the sender of a message is unknown. */
export const UNKNOWN_SENDER =
  'the sender is unknown: the message was sent before the recording began, or by Turntable itself';

const TASKS_GROUP = 'Tasks';
const MESSAGES_GROUP = 'Messages';
const EVENTS_GROUP = 'Events';
const POSITIONS_GROUP = 'Positions';

export const MOVES: readonly Move[] = [
  {
    id: 'task',
    title: '{next} task of any worker',
    group: TASKS_GROUP,
    directions: DIRECTIONS,
    parameters: [textParameter('the title of the task')],
    candidates: (graph, _, args) => tasksByTitle(graph, args, () => true),
  },
  {
    id: 'turn',
    title: '{next} turn of any actor',
    group: TASKS_GROUP,
    directions: DIRECTIONS,
    parameters: [textParameter('Actor.method')],
    candidates: (graph, _, args) => tasksByTitle(graph, args, (order) => isTurn(graph, order)),
  },
  {
    id: 'actor',
    title: '{next} task of an actor',
    group: TASKS_GROUP,
    directions: DIRECTIONS,
    parameters: [
      {
        name: 'name',
        kind: 'actor',
        title: 'the name of an actor; * matches anything',
        defaultDescription: 'the same',
      },
    ],
    candidates: (graph, { task: order }, args) => tasksOfActors(graph, order, args),
  },
  {
    id: 'worker',
    title: '{next} task on a worker',
    group: TASKS_GROUP,
    directions: DIRECTIONS,
    parameters: [{ name: 'worker', kind: 'worker', title: 'the number of a worker', defaultDescription: 'the same' }],
    candidates: (graph, { task: order }, args) =>
      graph.tasksOfWorker(Number(args.get('worker') ?? graph.worker(order))),
  },
  {
    id: 'callback',
    title: '{next} host callback',
    group: TASKS_GROUP,
    directions: DIRECTIONS,
    parameters: [{ name: 'source', kind: 'source', title: 'the source of the callback', defaultDescription: 'any' }],
    candidates: (graph, _, args) => {
      const source = args.get('source');
      return (order) => graph.kind(order) === 'entry' && (source === undefined || graph.source(order) === source);
    },
  },
  {
    id: 'snapshot',
    title: '{next} phase that starts with a snapshot',
    group: TASKS_GROUP,
    ...BOTH_DIRECTIONS,
    candidates: (graph) => graph.phases.slice(1).map(({ firstTask }) => firstTask),
  },
  {
    id: 'request',
    title: '{next} request to a service',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [textParameter('method and URL')],
    eventKinds: ['request'],
  },
  {
    id: 'response',
    title: '{next} response of a service',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [textParameter('method, URL and status')],
    eventKinds: ['response'],
  },
  {
    id: 'exception',
    title: '{next} throw or rejection, caught or not',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [ERROR_TEXT],
    eventKinds: EVENT_KIND_GROUPS.exception,
  },
  {
    id: 'caught',
    title: '{next} throw of an error that was caught or that ended a turn',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [ERROR_TEXT],
    eventKinds: ['caught'],
  },
  {
    id: 'uncaught',
    title: '{next} uncaught error',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [ERROR_TEXT],
    eventKinds: EVENT_KIND_GROUPS.uncaught,
  },
  {
    id: 'rejection',
    title: '{next} throw of an error that rejected a promise',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [ERROR_TEXT],
    eventKinds: ['rejection'],
  },
  {
    id: 'output',
    title: '{next} output',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [textParameter('the printed text')],
    eventKinds: EVENT_KIND_GROUPS.output,
  },
  {
    id: 'device',
    title: '{next} host call',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [textParameter('the called function, such as fs.*, clock.*, random.*')],
    eventKinds: ['device'],
  },
  {
    id: 'sender',
    title: 'the task that sent the message of this task',
    group: MESSAGES_GROUP,
    ...NO_DIRECTION,
    destination: (graph, { task: order }) => senderOf(graph, order),
  },
  {
    id: 'receiver',
    title: 'a task that handles a message of this task',
    group: MESSAGES_GROUP,
    directions: [],
    parameters: [NUMBER_PARAMETER],
    destination: (graph, { task: order }, args) =>
      pickOne(graph.receivers(order), args, undeliveredReason(graph, order)),
  },
  {
    id: 'reply',
    title: 'a turn that handles a reply of this task',
    group: MESSAGES_GROUP,
    directions: [],
    parameters: [NUMBER_PARAMETER],
    destination: (graph, { task: order }, args) =>
      pickOne(graph.replies(order), args, 'no recorded turn handles a reply of this task'),
  },
  {
    id: 'resolver',
    title: 'the task that settled the promise that this turn handles',
    group: MESSAGES_GROUP,
    ...NO_DIRECTION,
    destination: (graph, { task: order }) =>
      graph.isReply(order) ? senderOf(graph, order) : { reason: 'this task does not handle a settled promise' },
  },
  {
    id: 'spawner',
    title: 'the task that spawned this actor',
    group: MESSAGES_GROUP,
    ...NO_DIRECTION,
    destination: (graph, { task: order }) => {
      const creation = creationOf(graph, order);
      return 'reason' in creation ? creation : senderOf(graph, creation.task);
    },
  },
  {
    id: 'birth',
    title: 'the turn that constructed this actor',
    group: MESSAGES_GROUP,
    ...NO_DIRECTION,
    destination: (graph, { task: order }) => creationOf(graph, order),
  },
  {
    id: 'goto',
    title: 'a position, percentage, time or turn',
    group: POSITIONS_GROUP,
    directions: [],
    parameters: [
      {
        name: 'target',
        kind: 'target',
        title:
          'a position (2.137, 2.137:45.2 or 137), a percentage (50%), a time (+1.5s), start, last (where the program ended), end, or a turn of a worker (WORKER:TURN)',
        defaultDescription: undefined,
      },
    ],
    destination: (_graph, _from, args) => args.get('target') as MoveDestination,
  },
];

function isTurn(graph: TaskGraph, order: number): boolean {
  const kind = graph.kind(order);
  return kind !== 'entry' && kind !== 'jobs' && kind !== 'evaluation';
}

function senderOf(graph: TaskGraph, order: number): MoveDestination {
  const sender = order > graph.count ? undefined : graph.sender(order);
  if (sender !== undefined) return { task: sender };
  const isEntry = order <= graph.count && !isTurn(graph, order);
  return {
    reason: isEntry ? 'this task handles no message: the host started it' : UNKNOWN_SENDER,
  };
}

/** Maximum number of actors that a reason names. */
const MAX_NAMED_ACTORS = 5;

function undeliveredReason(graph: TaskGraph, order: number): string {
  const names = [...new Set(graph.undeliveredFrom(order).map(({ actor }) => actor))];
  if (names.length === 0) return 'no recorded task handles a message of this task';
  const more = names.length > MAX_NAMED_ACTORS ? ' and others' : '';
  return `the recording ends before ${names.slice(0, MAX_NAMED_ACTORS).join(', ')}${more} handled a message of this task`;
}

function creationOf(graph: TaskGraph, order: number): TaskDestination {
  const creation = graph.actorAt(order)?.creation;
  return creation === undefined
    ? { reason: 'no recorded turn constructed this actor: it existed when the recording began, or is a main program' }
    : { task: creation };
}

function pickOne(orders: Uint32Array, args: MoveArguments, reason: string): MoveDestination {
  const which = Number(args.get('number') ?? 1);
  const order = orders[which - 1];
  if (order !== undefined) return { task: order };
  return {
    reason: orders.length === 0 ? reason : `there is no number ${which}: the largest is ${orders.length}`,
  };
}

/** An optional filter for texts of events or titles of tasks. */
function textParameter(detail: string): MoveParameter {
  return {
    name: TEXT_PARAMETER,
    kind: 'text',
    title: `a part of ${detail}; * matches anything`,
    defaultDescription: 'anything',
  };
}

function tasksByTitle(
  graph: TaskGraph,
  args: MoveArguments,
  isWanted: (order: number) => boolean,
): (order: number) => boolean {
  const matches = textFilter(args);
  if (matches === undefined) return isWanted;
  return (order) => isWanted(order) && matches(taskTitle(graph.runIndex.task(order)));
}

function tasksOfActors(
  graph: TaskGraph,
  order: number,
  args: MoveArguments,
): ArrayLike<number> | ((order: number) => boolean) {
  const name = args.get('name');
  if (name === undefined) return graph.actorAt(order)?.tasks ?? [];
  const matches = patternMatcher(String(name));
  const matchingActors = new Set(graph.actors.filter((actor) => matches(actor.name)));
  return (each) => {
    const actor = graph.actorAt(each);
    return actor !== undefined && matchingActors.has(actor);
  };
}
