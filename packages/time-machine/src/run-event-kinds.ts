// Kinds of events that replaying threads report, each with the statement to which its events belong. Moves and
// breakpoints are derived from this table, and the server describes it to clients, so no client needs a list.

/**
 * The statement to which an event belongs. `current`: the running statement of the innermost function. `last`: the last
 * statement that began, perhaps in a function that threw. `next`: the next statement that begins. `task-start`: no
 * statement, since the event comes before the first one of its task.
 */
type StatementAnchor = 'current' | 'last' | 'next' | 'task-start';

interface EventKindDescription {
  /** Text after "stops at". */
  readonly title: string;
  readonly group: string;
  readonly anchor: StatementAnchor;
  /** Meaning of the event's text, to which patterns apply; undefined if events of this kind have no text. */
  readonly detail?: string;
}

const MESSAGES_GROUP = 'Messages';
const PROMISES_GROUP = 'Promises';
const EVENTS_GROUP = 'Events';
const EXCEPTIONS_GROUP = 'Exceptions';
const ACTOR_METHOD = 'Actor.method';
const ERROR_MESSAGE = 'the error message';

export const RUN_EVENT_KINDS = {
  send: {
    title: 'a statement that sends a message, before the send',
    group: MESSAGES_GROUP,
    anchor: 'current',
    detail: ACTOR_METHOD,
  },
  receive: { title: 'the start of a turn', group: MESSAGES_GROUP, anchor: 'task-start', detail: ACTOR_METHOD },
  enter: { title: 'the first statement of a turn', group: MESSAGES_GROUP, anchor: 'next', detail: ACTOR_METHOD },
  leave: { title: 'the last statement of a turn', group: MESSAGES_GROUP, anchor: 'last', detail: ACTOR_METHOD },
  reply: {
    title: 'a statement that replies to a message, before the reply is sent',
    group: MESSAGES_GROUP,
    anchor: 'current',
    detail: ACTOR_METHOD,
  },
  spawn: {
    title: 'a statement that spawns an actor, before its construction',
    group: MESSAGES_GROUP,
    anchor: 'current',
    detail: 'class',
  },
  settle: {
    title: 'a statement that settles a promise, before its reactions run',
    group: PROMISES_GROUP,
    anchor: 'current',
    detail: 'fulfilled or rejected',
  },
  reaction: {
    title: 'the first statement after an await, or of a callback of then',
    group: PROMISES_GROUP,
    anchor: 'next',
  },
  await: { title: 'a statement that awaits a pending promise', group: PROMISES_GROUP, anchor: 'current' },
  rejection: {
    title: 'a statement that throws an error that rejects a promise',
    group: EXCEPTIONS_GROUP,
    anchor: 'last',
    detail: ERROR_MESSAGE,
  },
  caught: {
    title: 'a statement that throws an error that is caught or that ends a turn',
    group: EXCEPTIONS_GROUP,
    anchor: 'last',
    detail: ERROR_MESSAGE,
  },
  uncaught: {
    title: 'a statement that throws an uncaught error',
    group: EXCEPTIONS_GROUP,
    anchor: 'last',
    detail: ERROR_MESSAGE,
  },
  unhandled: {
    title: 'the report of an uncaught error that was thrown earlier',
    group: EXCEPTIONS_GROUP,
    anchor: 'last',
    detail: ERROR_MESSAGE,
  },
  stdout: {
    title: 'a statement that prints to standard output',
    group: EVENTS_GROUP,
    anchor: 'current',
    detail: 'the printed text',
  },
  stderr: {
    title: 'a statement that prints to standard error',
    group: EVENTS_GROUP,
    anchor: 'current',
    detail: 'the printed text',
  },
  device: {
    title: 'a host call',
    group: EVENTS_GROUP,
    anchor: 'current',
    detail: 'the called function, such as fs.*, clock.*, random.*',
  },
  request: { title: 'a request to a service', group: EVENTS_GROUP, anchor: 'task-start', detail: 'method and URL' },
  response: {
    title: 'a response of a service',
    group: EVENTS_GROUP,
    anchor: 'current',
    detail: 'method, URL and status',
  },
} as const satisfies Readonly<Record<string, EventKindDescription>>;

export type RunEventKind = keyof typeof RUN_EVENT_KINDS;

/** The event kinds that moves can go to: run indexes contain their events (task-log.ts). */
export const NAVIGABLE_EVENT_KINDS = [
  'caught',
  'rejection',
  'uncaught',
  'unhandled',
  'stdout',
  'stderr',
  'device',
  'request',
  'response',
] as const satisfies readonly RunEventKind[];

/** Names that stand for several event kinds, or for a kind and another one that belongs to it. */
export const EVENT_KIND_GROUPS = {
  exception: ['caught', 'rejection', 'uncaught'],
  uncaught: ['uncaught', 'unhandled'],
  output: ['stdout', 'stderr'],
} as const satisfies Readonly<Record<string, readonly (typeof NAVIGABLE_EVENT_KINDS)[number][]>>;

export function describeEventKind(kind: RunEventKind): EventKindDescription {
  return RUN_EVENT_KINDS[kind];
}

/** Whether events of a kind have a statement whose variables a condition can use. */
export function canHaveCondition(kind: RunEventKind): boolean {
  return RUN_EVENT_KINDS[kind].anchor !== 'task-start';
}
