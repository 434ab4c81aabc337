// What can happen in the course of a run, as threads that run again tell of it: which kinds there are, and where in a stretch each of them is said to be. What can be moved to
// and stopped at goes by it, and says so to whoever asks: no client has a list of its own.

/**
 * `here`: at the statement of the innermost function that runs; `last`: at the last one that has begun, which may be one of a function that has thrown; `next`: at the next
 * one; `beginning`: before the first of its stretch.
 */
type Whereabouts = 'here' | 'last' | 'next' | 'beginning';

interface About {
  /** Behind "stops at": in words. */
  readonly title: string;
  readonly group: string;
  readonly at: Whereabouts;
  /** What it tells of, and so what a pattern is compared with; nothing, if it tells nothing. */
  readonly tells?: string;
}

const MESSAGES = 'Messages';
const PROMISES = 'Promises';
const EVENTS = 'Events';
const CALL = 'Actor.method';

export const HAPPENINGS = {
  sent: { title: 'a statement that sends a message, before it goes', group: MESSAGES, at: 'here', tells: CALL },
  received: {
    title: 'a turn that a message has led to, before anything of it runs',
    group: MESSAGES,
    at: 'beginning',
    tells: CALL,
  },
  entered: { title: 'the first statement of such a turn', group: MESSAGES, at: 'next', tells: CALL },
  left: { title: 'the last statement of such a turn', group: MESSAGES, at: 'last', tells: CALL },
  answered: {
    title: 'the statement with which a message is answered, before the answer goes',
    group: MESSAGES,
    at: 'here',
    tells: CALL,
  },
  spawned: {
    title: 'a statement that spawns an actor, before it is made',
    group: MESSAGES,
    at: 'here',
    tells: 'class',
  },
  resolved: {
    title: 'a statement in whose course a promise is settled, before who waits for it goes on',
    group: PROMISES,
    at: 'here',
    tells: 'fulfilled or rejected',
  },
  reaction: {
    title:
      'the first statement of what goes on with what a promise has come to: behind an await, in a function given to then',
    group: PROMISES,
    at: 'next',
  },
  awaited: { title: 'a statement that begins to wait for a promise that is not settled', group: PROMISES, at: 'here' },
  rejection: {
    title: 'a statement whose error rejects a promise, the first that it does',
    group: PROMISES,
    at: 'last',
    tells: 'what the error says',
  },
  exception: {
    title: 'a statement that throws what a catch takes, or what ends a turn',
    group: EVENTS,
    at: 'last',
    tells: 'what the error says',
  },
  error: {
    title: 'a statement that throws what nobody catches',
    group: EVENTS,
    at: 'last',
    tells: 'what the error says',
  },
  stdout: { title: 'a statement that prints', group: EVENTS, at: 'here', tells: 'what is printed' },
  stderr: {
    title: 'a statement that prints to standard error',
    group: EVENTS,
    at: 'here',
    tells: 'what is printed',
  },
  device: {
    title: 'a call of what is outside of the program',
    group: EVENTS,
    at: 'here',
    tells: 'what is called, such as fs.*, clock.*, random.*',
  },
  request: { title: 'a request to a service', group: EVENTS, at: 'beginning', tells: 'method and URL' },
  response: {
    title: 'an answer of a service to a request',
    group: EVENTS,
    at: 'here',
    tells: 'method, URL and status',
  },
} as const satisfies Readonly<Record<string, About>>;

export type HappeningKind = keyof typeof HAPPENINGS;

export const HAPPENING_KINDS = Object.keys(HAPPENINGS) as HappeningKind[];

/** Those that surveys note (notes.ts), by which moves go. */
export const NOTED_HAPPENINGS = [
  'exception',
  'rejection',
  'error',
  'stdout',
  'stderr',
  'device',
  'request',
  'response',
] as const satisfies readonly HappeningKind[];

export function aboutHappening(kind: HappeningKind): About {
  return HAPPENINGS[kind];
}

export function isHappening(kind: string): kind is HappeningKind {
  return Object.hasOwn(HAPPENINGS, kind);
}

/** Whether there is a statement whose variables a condition can look at. */
export function hasStatement(kind: HappeningKind): boolean {
  return HAPPENINGS[kind].at !== 'beginning';
}
