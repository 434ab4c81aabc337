// Kinds of events that replaying threads report, with the statement to which an event of each kind belongs. Moves and
// breakpoints are derived from these, and the server describes them to clients, so no client needs a list.

/**
 * The statement of an event. `current`: the running one of the innermost function. `last`: the last one that began,
 * perhaps in a function that threw. `next`: the next one that begins. `task-start`: none, before the first of the task.
 */
type StatementAnchor = 'current' | 'last' | 'next' | 'task-start';

interface EventKindDescription {
  /** Text after "stops at". */
  readonly title: string;
  readonly group: string;
  readonly anchor: StatementAnchor;
  /** The text of such an event, to which patterns apply; undefined if it has none. */
  readonly detail?: string;
}

const MESSAGES_GROUP = 'Messages';
const PROMISES_GROUP = 'Promises';
const EVENTS_GROUP = 'Events';
const ACTOR_METHOD = 'Actor.method';

export const RUN_EVENT_KINDS = {
  sent: {
    title: 'a statement that sends a message, before it goes',
    group: MESSAGES_GROUP,
    anchor: 'current',
    detail: ACTOR_METHOD,
  },
  received: {
    title: 'a turn that a message has led to, before anything of it runs',
    group: MESSAGES_GROUP,
    anchor: 'task-start',
    detail: ACTOR_METHOD,
  },
  entered: { title: 'the first statement of such a turn', group: MESSAGES_GROUP, anchor: 'next', detail: ACTOR_METHOD },
  left: { title: 'the last statement of such a turn', group: MESSAGES_GROUP, anchor: 'last', detail: ACTOR_METHOD },
  answered: {
    title: 'the statement with which a message is answered, before the answer goes',
    group: MESSAGES_GROUP,
    anchor: 'current',
    detail: ACTOR_METHOD,
  },
  spawned: {
    title: 'a statement that spawns an actor, before it is made',
    group: MESSAGES_GROUP,
    anchor: 'current',
    detail: 'class',
  },
  resolved: {
    title: 'a statement in whose course a promise is settled, before who waits for it goes on',
    group: PROMISES_GROUP,
    anchor: 'current',
    detail: 'fulfilled or rejected',
  },
  reaction: {
    title:
      'the first statement of what goes on with what a promise has come to: behind an await, in a function given to then',
    group: PROMISES_GROUP,
    anchor: 'next',
  },
  awaited: {
    title: 'a statement that begins to wait for a promise that is not settled',
    group: PROMISES_GROUP,
    anchor: 'current',
  },
  rejection: {
    title: 'a statement whose error rejects a promise, the first that it does',
    group: PROMISES_GROUP,
    anchor: 'last',
    detail: 'what the error says',
  },
  exception: {
    title: 'a statement that throws what a catch takes, or what ends a turn',
    group: EVENTS_GROUP,
    anchor: 'last',
    detail: 'what the error says',
  },
  error: {
    title: 'a statement that throws what nobody catches',
    group: EVENTS_GROUP,
    anchor: 'last',
    detail: 'what the error says',
  },
  stdout: { title: 'a statement that prints', group: EVENTS_GROUP, anchor: 'current', detail: 'what is printed' },
  stderr: {
    title: 'a statement that prints to standard error',
    group: EVENTS_GROUP,
    anchor: 'current',
    detail: 'what is printed',
  },
  device: {
    title: 'a call of what is outside of the program',
    group: EVENTS_GROUP,
    anchor: 'current',
    detail: 'what is called, such as fs.*, clock.*, random.*',
  },
  request: { title: 'a request to a service', group: EVENTS_GROUP, anchor: 'task-start', detail: 'method and URL' },
  response: {
    title: 'an answer of a service to a request',
    group: EVENTS_GROUP,
    anchor: 'current',
    detail: 'method, URL and status',
  },
} as const satisfies Readonly<Record<string, EventKindDescription>>;

export type RunEventKind = keyof typeof RUN_EVENT_KINDS;

export const RUN_EVENT_KIND_IDS = Object.keys(RUN_EVENT_KINDS) as RunEventKind[];

/** The kinds that run indexes have (task-log.ts), for moves. */
export const NAVIGABLE_EVENT_KINDS = [
  'exception',
  'rejection',
  'error',
  'stdout',
  'stderr',
  'device',
  'request',
  'response',
] as const satisfies readonly RunEventKind[];

export function describeEventKind(kind: RunEventKind): EventKindDescription {
  return RUN_EVENT_KINDS[kind];
}

export function isRunEventKind(kind: string): kind is RunEventKind {
  return Object.hasOwn(RUN_EVENT_KINDS, kind);
}

/** Whether such an event has a statement whose variables a condition can use. */
export function canHaveCondition(kind: RunEventKind): boolean {
  return RUN_EVENT_KINDS[kind].anchor !== 'task-start';
}
