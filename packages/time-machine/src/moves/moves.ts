// All moves between tasks. A new move is an entry here; protocol, terminal and documentation use its description.
import { patternMatcher } from './pattern.ts';
import type { TaskGraph } from '../run-index/task-graph.ts';
import { DIRECTIONS, MATCHING_PARAMETER } from './move.ts';
import type { MoveArguments, MoveDestination, Move, MoveParameter } from './move.ts';
import type { Position } from '../position.ts';

const WHICH_PARAMETER: MoveParameter = {
  name: 'which',
  kind: 'number',
  title: 'which of them',
  defaultDescription: 'the first',
};
const BOTH_DIRECTIONS = { directions: DIRECTIONS, parameters: [] } as const;
const TEXT_FILTERED = { directions: DIRECTIONS, parameters: [textParameter('what it says')] } as const;
const NO_DIRECTION = { directions: [], parameters: [] } as const;

const TURNS_GROUP = 'Turns';
const MESSAGES_GROUP = 'Messages';
const EVENTS_GROUP = 'Events';
const POSITIONS_GROUP = 'Places';

export const MOVES: readonly Move[] = [
  {
    id: 'task',
    title: '{next} task of any worker, whatever it is',
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
    title: 'the task that has sent the message that this one is about',
    group: MESSAGES_GROUP,
    ...NO_DIRECTION,
    destination: (graph, { task: order }) => senderOf(graph, order),
  },
  {
    id: 'receiver',
    title: 'a task that a message sent here has led to',
    group: MESSAGES_GROUP,
    directions: [],
    parameters: [WHICH_PARAMETER],
    destination: (graph, { task: order }, args) =>
      pickOne(graph.receivers(order), args, undeliveredReason(graph, order)),
  },
  {
    id: 'answer',
    title: 'a turn in which what was answered or settled here is taken',
    group: MESSAGES_GROUP,
    directions: [],
    parameters: [WHICH_PARAMETER],
    destination: (graph, { task: order }, args) =>
      pickOne(
        graph.receivers(order).filter((each) => isAnswer(graph, each)),
        args,
        'no answer that was sent here has been taken, as far as the recording goes',
      ),
  },
  {
    id: 'resolver',
    title: 'the task that has settled the promise that this turn takes',
    group: MESSAGES_GROUP,
    ...NO_DIRECTION,
    destination: (graph, { task: order }) =>
      isAnswer(graph, order) ? senderOf(graph, order) : { reason: 'this turn is not about a promise that was settled' },
  },
  {
    id: 'birth',
    title: 'the turn in which this actor was made',
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
    title: '{next} time that something is printed',
    group: EVENTS_GROUP,
    ...TEXT_FILTERED,
    eventKinds: ['stdout', 'stderr'],
  },
  {
    id: 'error',
    title: '{next} error that nobody has caught',
    group: EVENTS_GROUP,
    ...TEXT_FILTERED,
    eventKinds: ['error'],
  },
  {
    id: 'exception',
    title: '{next} error that a catch has taken, or that has ended a turn, where it was thrown',
    group: EVENTS_GROUP,
    ...TEXT_FILTERED,
    eventKinds: ['exception'],
  },
  {
    id: 'rejection',
    title: '{next} error that has rejected a promise, and nothing before',
    group: EVENTS_GROUP,
    ...TEXT_FILTERED,
    eventKinds: ['rejection'],
  },
  {
    id: 'device',
    title: '{next} call of what is outside of the program',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [textParameter('what is called, such as fs.*, clock.*, random.*')],
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
    title: '{next} answer of a service to a request',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [textParameter('method, URL and status')],
    eventKinds: ['response'],
  },
  {
    id: 'snapshot',
    title: '{next} phase that begins with a snapshot',
    group: EVENTS_GROUP,
    ...BOTH_DIRECTIONS,
    candidates: (graph) => graph.phases.slice(1).map(({ firstTask }) => firstTask),
  },
  {
    id: 'entry',
    title: '{next} call of native code',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [{ name: 'source', kind: 'source', title: 'who calls', defaultDescription: 'anybody' }],
    candidates: (graph, _, args) => {
      const caller = args.get('source');
      return (order) => graph.kind(order) === 'entry' && (caller === undefined || graph.source(order) === caller);
    },
  },
  {
    id: 'match',
    title: '{next} task of actors of a name',
    group: EVENTS_GROUP,
    directions: DIRECTIONS,
    parameters: [
      {
        name: 'actor',
        kind: 'pattern',
        title: 'the name of an actor, * for anything in it',
        defaultDescription: undefined,
      },
      { name: 'method', kind: 'pattern', title: 'of a method', defaultDescription: 'any' },
    ],
    candidates: (graph, _, args) => matchingTasks(graph, args),
  },
  {
    id: 'start',
    title: 'the beginning',
    group: POSITIONS_GROUP,
    ...NO_DIRECTION,
    destination: () => ({ task: 1 }),
  },
  {
    id: 'end',
    title: 'the end, behind the last task',
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
          'phase and number of a task (2.137), perhaps with a statement (2.137:45.2), or its place among all (137)',
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
    title: 'the task at a part of the recording',
    group: POSITIONS_GROUP,
    directions: [],
    parameters: [{ name: 'percentage', kind: 'percentage', title: 'from 0 to 100', defaultDescription: undefined }],
    destination: ({ runIndex }, _, args) => ({
      task: Math.max(1, runIndex.taskAtFraction(Number(args.get('percentage')) / 100)),
    }),
  },
  {
    id: 'time',
    title: 'the last task that had begun by a time',
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
      return order === 0 ? { reason: 'nothing had begun by that time' } : { task: order };
    },
  },
  {
    id: 'nth',
    title: 'a turn of a worker, as --until of turntable replay counts them',
    group: POSITIONS_GROUP,
    directions: [],
    parameters: [
      { name: 'worker', kind: 'worker', title: 'the number of a worker', defaultDescription: undefined },
      { name: 'turn', kind: 'number', title: 'of its turn', defaultDescription: undefined },
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
    reason: isEntry ? 'nothing of the program has sent this: it came from outside' : 'who has sent this is not known',
  };
}

/** Actors that a reason names at most. */
const MAX_NAMED_ACTORS = 5;

function undeliveredReason(graph: TaskGraph, order: number): string {
  const names = [...new Set(graph.undeliveredFrom(order).map(({ actor }) => actor))];
  if (names.length === 0) return 'nothing that was sent here has been taken, as far as the recording goes';
  const more = names.length > MAX_NAMED_ACTORS ? ' and others' : '';
  return `what was sent here to ${names.slice(0, MAX_NAMED_ACTORS).join(', ')}${more} still waits when the recording ends`;
}

function creationOf(graph: TaskGraph, order: number): MoveDestination {
  const creation = graph.actorAt(order)?.creation;
  return creation === undefined
    ? { reason: 'this actor was there when the recording began, or is a main program' }
    : { task: creation };
}

function pickOne(orders: Uint32Array, args: MoveArguments, reason: string): MoveDestination {
  const which = Number(args.get('which') ?? 1);
  const order = orders[which - 1];
  if (order !== undefined) return { task: order };
  return {
    reason:
      orders.length === 0
        ? reason
        : `there ${orders.length === 1 ? 'is 1' : `are ${orders.length}`}, and no number ${which}`,
  };
}

/** An optional filter for texts of events. */
function textParameter(detail: string): MoveParameter {
  return {
    name: MATCHING_PARAMETER,
    kind: 'pattern',
    title: `${detail}, * for anything in it`,
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
