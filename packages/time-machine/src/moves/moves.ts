// All moves between tasks. A new move is an entry here; protocol, terminal and documentation use its description.
import { patternMatcher } from './pattern.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';
import { DIRECTIONS, MATCHING_PARAMETER } from './move.ts';
import type { MoveArguments, MoveDestination, Move, MoveParameter } from './move.ts';
import type { Position } from '../position.ts';

const WHICH_PARAMETER: MoveParameter = {
  name: 'which',
  kind: 'number',
  title: 'which one, from 1 on',
  defaultDescription: 'the first',
};
const BOTH_DIRECTIONS = { directions: DIRECTIONS, parameters: [] } as const;
const TEXT_FILTERED = { directions: DIRECTIONS, parameters: [textParameter('the text')] } as const;
const NO_DIRECTION = { directions: [], parameters: [] } as const;

/** Reason why the sender of a message is unknown. */
export const UNKNOWN_SENDER =
  'the sender is unknown: the message was sent before the recording began, or by Turntable itself';

const TURNS_GROUP = 'Turns';
const MESSAGES_GROUP = 'Messages';
const EVENTS_GROUP = 'Events';
const POSITIONS_GROUP = 'Positions';

export const MOVES: readonly Move[] = [
  {
    id: 'task',
    title: '{next} task of any worker',
    group: TURNS_GROUP,
    ...BOTH_DIRECTIONS,
    candidates: () => () => true,
  },
  {
    id: 'turn',
    title: '{next} turn of any actor',
    group: TURNS_GROUP,
    ...BOTH_DIRECTIONS,
    candidates: (graph) => (order) => isTurn(graph, order),
  },
  {
    id: 'actor',
    title: '{next} task of the same actor',
    group: TURNS_GROUP,
    ...BOTH_DIRECTIONS,
    candidates: (graph, { task: order }) => graph.actorAt(order)?.tasks ?? [],
  },
  {
    id: 'worker',
    title: '{next} task on a worker',
    group: TURNS_GROUP,
    directions: DIRECTIONS,
    parameters: [{ name: 'worker', kind: 'worker', title: 'the number of a worker', defaultDescription: 'the same' }],
    candidates: (graph, { task: order }, args) =>
      graph.tasksOfWorker(Number(args.get('worker') ?? graph.worker(order))),
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
    parameters: [WHICH_PARAMETER],
    destination: (graph, { task: order }, args) =>
      pickOne(graph.receivers(order), args, undeliveredReason(graph, order)),
  },
  {
    id: 'answer',
    title: 'a turn that handles an answer of this task',
    group: MESSAGES_GROUP,
    directions: [],
    parameters: [WHICH_PARAMETER],
    destination: (graph, { task: order }, args) =>
      pickOne(
        graph.receivers(order).filter((each) => isAnswer(graph, each)),
        args,
        'no recorded turn handles an answer of this task',
      ),
  },
  {
    id: 'resolver',
    title: 'the task that settled the promise that this turn handles',
    group: MESSAGES_GROUP,
    ...NO_DIRECTION,
    destination: (graph, { task: order }) =>
      isAnswer(graph, order) ? senderOf(graph, order) : { reason: 'this task does not handle a settled promise' },
  },
  {
    id: 'birth',
    title: 'the turn that constructed this actor',
    group: MESSAGES_GROUP,
    ...NO_DIRECTION,
    destination: (graph, { task: order }) => creationOf(graph, order),
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
    id: 'output',
    title: '{next} output',
    group: EVENTS_GROUP,
    ...TEXT_FILTERED,
    eventKinds: ['stdout', 'stderr'],
  },
  {
    id: 'error',
    title: '{next} uncaught error',
    group: EVENTS_GROUP,
    ...TEXT_FILTERED,
    eventKinds: ['error'],
  },
  {
    id: 'exception',
    title: '{next} throw of an error that was caught or that ended a turn',
    group: EVENTS_GROUP,
    ...TEXT_FILTERED,
    eventKinds: ['exception'],
  },
  {
    id: 'rejection',
    title: '{next} error that rejected a promise, at its first rejection',
    group: EVENTS_GROUP,
    ...TEXT_FILTERED,
    eventKinds: ['rejection'],
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
    id: 'snapshot',
    title: '{next} phase that starts with a snapshot',
    group: EVENTS_GROUP,
    ...BOTH_DIRECTIONS,
    candidates: (graph) => graph.phases.slice(1).map(({ firstTask }) => firstTask),
  },
  {
    id: 'entry',
    title: '{next} host callback',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [{ name: 'source', kind: 'source', title: 'the source of the callback', defaultDescription: 'any' }],
    candidates: (graph, _, args) => {
      const caller = args.get('source');
      return (order) => graph.kind(order) === 'entry' && (caller === undefined || graph.source(order) === caller);
    },
  },
  {
    id: 'match',
    title: '{next} task of an actor whose name matches',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [
      {
        name: 'actor',
        kind: 'pattern',
        title: 'the name of the actor; * matches anything',
        defaultDescription: undefined,
      },
      { name: 'method', kind: 'pattern', title: 'a method; * matches anything', defaultDescription: 'any' },
    ],
    candidates: (graph, _, args) => matchingTasks(graph, args),
  },
  {
    id: 'start',
    title: 'the start of the recording',
    group: POSITIONS_GROUP,
    ...NO_DIRECTION,
    destination: () => ({ task: 1 }),
  },
  {
    id: 'end',
    title: 'the end of the recording',
    group: POSITIONS_GROUP,
    ...NO_DIRECTION,
    destination: (graph) => ({ task: graph.count + 1 }),
  },
  {
    id: 'position',
    title: 'a position',
    group: POSITIONS_GROUP,
    directions: [],
    parameters: [
      {
        name: 'position',
        kind: 'position',
        title:
          'phase and number of a task (2.137), optionally with a statement (2.137:45.2), or its number among all tasks (137)',
        defaultDescription: undefined,
      },
    ],
    destination: (_index, _from, args) => {
      const position = args.get('position') as Position;
      return { task: position.order, position };
    },
  },
  {
    id: 'percentage',
    title: 'the task at a percentage of the recording',
    group: POSITIONS_GROUP,
    directions: [],
    parameters: [
      { name: 'percentage', kind: 'percentage', title: 'a number from 0 to 100', defaultDescription: undefined },
    ],
    destination: ({ runIndex }, _, args) => ({
      task: Math.max(1, runIndex.taskAtFraction(Number(args.get('percentage')) / 100)),
    }),
  },
  {
    id: 'time',
    title: 'the last task that began by a time',
    group: POSITIONS_GROUP,
    directions: [],
    parameters: [
      {
        name: 'time',
        kind: 'time',
        title: 'a time (2026-11-23T12:00:00Z), or seconds since the recording began (+1.5)',
        defaultDescription: undefined,
      },
    ],
    destination: ({ runIndex }, _, args) => {
      const order = runIndex.taskAtTime(Number(args.get('time')));
      return order === 0 ? { reason: 'the recording begins after that time' } : { task: order };
    },
  },
  {
    id: 'nth',
    title: 'a turn of a worker by its number, as in turntable replay --until',
    group: POSITIONS_GROUP,
    directions: [],
    parameters: [
      { name: 'worker', kind: 'worker', title: 'the number of a worker', defaultDescription: undefined },
      { name: 'turn', kind: 'number', title: 'the number of the turn', defaultDescription: undefined },
    ],
    destination: ({ runIndex }, _, args) => {
      const order = runIndex.taskOfTurn(Number(args.get('worker')), Number(args.get('turn')));
      return order === undefined
        ? { reason: `worker ${args.get('worker')} has no turn ${args.get('turn')}` }
        : { task: order };
    },
  },
];

function isTurn(graph: TaskGraph, order: number): boolean {
  const kind = graph.kind(order);
  return kind !== 'entry' && kind !== 'jobs' && kind !== 'evaluation';
}

function isAnswer(graph: TaskGraph, order: number): boolean {
  if (order > graph.count) return false;
  const kind = graph.kind(order);
  return kind === 'fulfil' || kind === 'reject';
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

function creationOf(graph: TaskGraph, order: number): MoveDestination {
  const creation = graph.actorAt(order)?.creation;
  return creation === undefined
    ? { reason: 'no recorded turn constructed this actor: it existed when the recording began, or is a main program' }
    : { task: creation };
}

function pickOne(orders: Uint32Array, args: MoveArguments, reason: string): MoveDestination {
  const which = Number(args.get('which') ?? 1);
  const order = orders[which - 1];
  if (order !== undefined) return { task: order };
  return {
    reason: orders.length === 0 ? reason : `there is no number ${which}: the largest is ${orders.length}`,
  };
}

/** An optional filter for texts of events. */
function textParameter(detail: string): MoveParameter {
  return {
    name: MATCHING_PARAMETER,
    kind: 'pattern',
    title: `${detail}; * matches anything`,
    defaultDescription: 'anything',
  };
}

function matchingTasks(graph: TaskGraph, args: MoveArguments): (order: number) => boolean {
  const matches = patternMatcher(String(args.get('actor')));
  const matchingActors = new Set(graph.actors.filter(({ name }) => matches(name)));
  const method = args.get('method');
  const matchesMethod = method === undefined ? undefined : patternMatcher(String(method));
  return (order) => {
    const actor = graph.actorAt(order);
    if (actor === undefined || !matchingActors.has(actor)) return false;
    return matchesMethod === undefined || matchesMethod(graph.runIndex.task(order).method ?? '');
  };
}
