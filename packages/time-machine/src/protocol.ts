// The protocol between the time machine and its clients: JSON-RPC 2.0 over a WebSocket, or any wire that carries texts. The schemas here are its source of truth: types are derived
// from them, messages are checked by them, docs/protocol.md is printed from them. A change that clients can notice makes a new version.
import { LAST_WRITE_KINDS } from './stepping/step-result.ts';
import { DIRECTIONS, PARAMETER_KINDS } from './moves/move.ts';
import { INDEXED_EVENT_KINDS } from './task-log.ts';
import { bookmark, bookmarks } from './protocol/bookmarks.ts';
import { breakpoint, breakpointKind, breakpoints } from './protocol/breakpoints.ts';
import { live } from './protocol/live.ts';
import { evaluate, inspection } from './protocol/inspection.ts';
import { overview } from './protocol/overview.ts';
import {
  taskRange,
  count,
  entry,
  event,
  eventProperties,
  MAX_PAGE_ITEMS,
  order,
  page,
  position,
  statement,
  task,
  total,
  value,
} from './protocol/shapes.ts';
import { promises } from './protocol/promises.ts';
import { requests } from './protocol/requests.ts';
import {
  strictObject,
  union,
  boolean,
  integer,
  array,
  longString,
  dictionary,
  number,
  object,
  stringEnum,
  optional,
  string,
  type Schema,
  type TypeOf,
} from './protocol/schema.ts';
import { search } from './protocol/search.ts';
import { snapshots } from './protocol/snapshots.ts';
import { statements } from './protocol/statements.ts';

export {
  union,
  boolean,
  integer,
  array,
  longString,
  dictionary,
  number,
  object,
  stringEnum,
  optional,
  validationError,
  type JsonSchema,
  type Optional,
  type Schema,
  type TypeOf,
} from './protocol/schema.ts';
export { MAX_PAGE_ITEMS };
export const PROTOCOL_VERSION = 1;

/** JSON-RPC's own, and those of this protocol. */
export const ERROR_CODES = {
  /** The text is no JSON. */
  parse: -32_700,
  /** The message is no request. */
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  /** It was given up, as was asked for. */
  cancelled: -32_800,
  /** Nothing is answered before `hello`, nor to a client of another version. */
  handshake: -32_001,
  /** The recording cannot be run again to there, or not statement by statement at all. */
  replay: -32_002,
} as const;

const cursor = object({
  position,
  order: integer('the place of its task; one more than there are, at the end', 1),
  task: optional(task),
  statement: optional(statement),
});

const parameter = object({
  name: string('as arguments give it'),
  kind: stringEnum(PARAMETER_KINDS, 'what it says'),
  title: string('in words'),
  defaultDescription: optional(string('of one that need not be given: what it is then')),
});

const move = object({
  id: string('by which it is asked for'),
  title: string('behind "goes to"; {next} stands where it says the next or the previous'),
  group: string('with which it is shown'),
  directions: array(stringEnum(DIRECTIONS, ''), 'none, if it leads to one place'),
  parameters: array(parameter, 'what it takes'),
});

const titledId = object({ id: string('in messages'), title: string('in words') });

const moveParams = {
  move: string('the id of a move', 100),
  direction: optional(stringEnum(DIRECTIONS, 'forward unless it is said; only of moves that have directions')),
  arguments: optional(dictionary(union(string('', 2000), number('')), 'by the names of its parameters')),
} as const;

const moveResult = object({
  found: boolean('whether there is such a place'),
  reason: optional(string('why there is none', 2000)),
  note: optional(string('what is to be said of it', 12_000)),
  lastWrite: optional(
    object(
      {
        kind: stringEnum(
          LAST_WRITE_KINDS,
          'written here; passed by this call; sent with the message here; settled here, which is what has come; resumed: it was so when its function went on here',
        ),
        part: string('of what was asked about: the rest has come with it', 10_000),
      },
      'of the move wrote: how it has come to its value',
    ),
  ),
  breakpoints: optional(array(integer('the number of one', 1), 'of the move breakpoint: which of them are there')),
  cursor,
});

/** Shapes that several messages have. */
export const SHAPES = {
  Task: task,
  Event: event,
  Cursor: cursor,
  Statement: statement,
  Value: value,
  Entry: entry,
  Breakpoint: breakpoint,
  Bookmark: bookmark,
  BreakpointKind: breakpointKind,
  MoveResult: moveResult,
  Move: move,
  Parameter: parameter,
} as const;

interface Method {
  readonly description: string;
  readonly params: Schema<unknown>;
  readonly result: Schema<unknown>;
}

/** Requests of clients. */
export const METHODS = {
  hello: {
    description:
      'The first of every client. What there is to move about in, and every kind of move: a client has no list of its own.',
    params: strictObject({
      version: integer('of the protocol that the client speaks', 1),
      client: optional(string('what it is called', 100)),
    }),
    result: object({
      version: integer('of the protocol', 1),
      server: object({ name: string(''), version: string('') }),
      client: integer('the number by which others are told of this client', 1),
      recording: object({
        name: string('', 4000),
        from: optional(integer('the snapshot that it begins with; not there for the start')),
        until: optional(
          number('of a program that goes on, until when it is what was recorded: milliseconds since 1970; see refresh'),
        ),
        verdict: string('whether it was the same when it was run again to its end: same, truncated, diverged'),
      }),
      canStep: boolean(
        'whether it is run again statement by statement: what moves into tasks, and what asks for variables',
      ),
      taskCount: integer('how many there are'),
      startTime: number('when the first began: milliseconds since 1970'),
      endTime: number('when the last began'),
      phases: array(object({ phase: integer('its number'), firstTask: order }), 'phases, and where each begins'),
      threads: array(
        object({
          worker: integer(''),
          epoch: integer(''),
          taskCount: integer(''),
          end: optional(string('how its notes end')),
        }),
        'lives of workers',
      ),
      taskKinds: array(titledId, 'of tasks'),
      eventKinds: array(
        object({
          id: string('in messages'),
          title: string('in words'),
          isOutput: boolean('whether a console shows it'),
        }),
        'of what stands at a task',
      ),
      moves: array(move, 'all that there are'),
      breakpointKinds: array(breakpointKind, 'all kinds that there are beside lines; none, if tasks are not gone into'),
      cursor,
    }),
  },
  cursor: {
    description: 'Where all clients stand.',
    params: strictObject({}),
    result: cursor,
  },
  move: {
    description: 'Goes there, with all clients. If there is no such place, they stay where they are.',
    params: strictObject(moveParams),
    result: moveResult,
  },
  find: {
    description: 'Where a move would lead, from where all stand or from elsewhere. Nobody goes anywhere.',
    params: strictObject({
      ...moveParams,
      from: optional(position),
      thisActor: optional(
        strictObject(
          { worker: integer('where it lives'), actor: string('its name', 2000) },
          'the actor that this is in an expression; otherwise it is what it is there',
        ),
      ),
    }),
    result: moveResult,
  },
  tasks: {
    description: 'Tasks in their order, from a place on.',
    params: strictObject({
      from: order,
      count,
      direction: optional(stringEnum(DIRECTIONS, 'forward unless it is said')),
      actor: optional(string('only of actors of such a name, * for anything', 1000)),
      worker: optional(integer('only on this worker')),
    }),
    result: object({
      tasks: array(task, 'in the direction that was asked for', MAX_PAGE_ITEMS),
      next: optional(integer('the place from which to ask on, if there are more', 1)),
    }),
  },
  events: {
    description:
      'What stands at tasks: errors, requests and their answers, what was printed, snapshots, calls of the outside.',
    params: strictObject({
      kinds: array(stringEnum(INDEXED_EVENT_KINDS, 'one of them'), 'of which kinds', INDEXED_EVENT_KINDS.length),
      matching: optional(string('only those that say what is like this, * for anything', 2000)),
      ...taskRange,
      from: order,
      count,
      direction: optional(stringEnum(DIRECTIONS, 'forward unless it is said')),
    }),
    result: object({
      events: array(
        object({ position, order, time: number('milliseconds since 1970'), ...eventProperties }),
        'in the direction that was asked for',
        MAX_PAGE_ITEMS,
      ),
      next: optional(integer('the place from which to ask on, if there are more', 1)),
    }),
  },
  search,
  requests,
  receivers: {
    description: 'What has come of the messages that a task has sent.',
    params: strictObject({
      task: order,
      ...page,
    }),
    result: object({ tasks: array(task, 'in their order', MAX_PAGE_ITEMS), total }),
  },
  actors: {
    description: 'Actors and main programs, in the order of their first tasks.',
    params: strictObject({
      actor: optional(string('of such a name, * for anything', 1000)),
      ...page,
    }),
    result: object({
      actors: array(
        object({
          worker: integer(''),
          name: string('', 2000),
          taskCount: integer('how many it has'),
          firstTask: order,
          lastTask: order,
          creation: optional(integer('the turn in which it was made', 1)),
        }),
        '',
        MAX_PAGE_ITEMS,
      ),
      total,
    }),
  },
  overview,
  ...inspection,
  promises,
  history: {
    description: 'What led to a task: who has sent what it is about, who has sent that, and so on back.',
    params: strictObject({ from: optional(position), count: integer('how many tasks at most', 1, MAX_PAGE_ITEMS) }),
    result: object({
      tasks: array(
        object({
          task,
          sentAt: optional(
            string('where the next one has sent what this one is about: a statement, if that is known', 100),
          ),
          statement: optional(statement),
        }),
        'from the one where all stand on, or where it was asked for, back',
        MAX_PAGE_ITEMS,
      ),
      reason: optional(string('why it goes no further back; not there if more was not asked for', 2000)),
    }),
  },
  difference: {
    description:
      'What differs between two positions in the states of actors and of programs outside of actors, part by part.',
    params: strictObject({
      from: position,
      to: optional(position),
      actor: optional(string('of such a name, * for anything; otherwise whose task it is where all stand', 1000)),
      skip: optional(integer('how many to leave out')),
      count,
    }),
    result: object({
      entries: array(
        object({
          actor: string('whose state', 2000),
          path: string('from the actor to the part, as an expression has it', 10_000),
          before: optional(string('in one line; not there if the part is not', 10_000)),
          after: optional(string('likewise', 10_000)),
        }),
        '',
        MAX_PAGE_ITEMS,
      ),
      total,
      isTruncated: boolean('whether a state has more parts than were compared'),
    }),
  },
  changes: {
    description:
      'Each task in which an expression became another one: of this, which is the actor whose task it is where all stand, and of variables of the file there.',
    params: strictObject({
      expression: string('the expression; it must not change anything', 10_000),
      from: optional(position),
      firstTask: optional(order),
      lastTask: optional(order),
      count,
    }),
    result: object({
      changes: array(
        object({
          task,
          before: string('what it came to, in one line', 10_000),
          after: string('what it came to then', 10_000),
        }),
        'in their order; the lines may be the same, if a part of a part has changed',
        MAX_PAGE_ITEMS,
      ),
      next: optional(integer('the place from which to ask on, if there may be more', 1)),
    }),
  },
  evaluate,
  ...breakpoints,
  ...bookmarks,
  ...snapshots,
  ...live,
  source: {
    description: 'The text of a file as it was recorded.',
    params: strictObject({ file: string('as statements have it', 4000) }),
    result: object({ source: optional(longString('not there, if the recording has it not')) }),
  },
  sources: {
    description:
      'The files of which the recording has the texts: those of the program that were loaded, or that are there without being run.',
    params: strictObject({}),
    result: object({ files: array(string('a path, or a URL of what is no file', 4000), 'each once') }),
  },
  statements,
  completions: {
    description: 'What could be given for a parameter of a move, as far as it begins like this.',
    params: strictObject({
      move: string('the id of a move', 100),
      parameter: string('its name', 100),
      prefix: optional(string('what is there already', 1000)),
      count: integer('how many at most', 1, 100),
    }),
    result: object({ values: array(string('', 2000), 'none, if it could be anything') }),
  },
} as const satisfies Record<string, Method>;

export type MethodName = keyof typeof METHODS;
export type ParamsOf<M extends MethodName> = TypeOf<(typeof METHODS)[M]['params']>;
export type ResultOf<M extends MethodName> = TypeOf<(typeof METHODS)[M]['result']>;

interface Notification {
  readonly description: string;
  readonly params: Schema<unknown>;
}

/** Of clients: nobody answers. */
export const CLIENT_NOTIFICATIONS = {
  cancel: {
    description:
      'A request is not wanted any more. It is answered with an error that says so, unless it was over before.',
    params: strictObject({ id: integer('of the request') }),
  },
} as const satisfies Record<string, Notification>;

/** What whoever opens a recording that is refused may try. */
const OVERRIDES = ['force', 'key'] as const;
export type Override = (typeof OVERRIDES)[number];

/** Of the server, unasked. */
export const SERVER_NOTIFICATIONS = {
  progress: {
    description: 'How far a request is that takes long.',
    params: object({
      id: integer('of the request'),
      done: integer('what was looked at'),
      total: integer('of so much, at most'),
    }),
  },
  moved: {
    description: 'Another client has gone somewhere, and so have all.',
    params: object({ client: integer('the client', 1), cursor }),
  },
  refused: {
    description:
      'There is no time machine, and why: nothing else comes. To whoever has started the process (`--stdio`); to others no port was opened.',
    params: object({
      reason: string('with what can be done about it, in lines', 100_000),
      overrides: array(
        stringEnum(
          OVERRIDES,
          'force: again with --force, though it might come out otherwise; key: with the key of its seal',
        ),
        'what may be tried',
      ),
    }),
  },
} as const satisfies Record<string, Notification>;

export type NotificationName = keyof typeof SERVER_NOTIFICATIONS;
export type NotificationOf<N extends NotificationName> = TypeOf<(typeof SERVER_NOTIFICATIONS)[N]['params']>;

export type StatementInfo = TypeOf<typeof statement>;
export type ValueInfo = TypeOf<typeof value>;
export type BreakpointInfo = TypeOf<typeof breakpoint>;
export type BookmarkInfo = TypeOf<typeof bookmark>;
export type TaskInfo = TypeOf<typeof task>;
export type CursorInfo = TypeOf<typeof cursor>;
export type MoveInfo = TypeOf<typeof move>;
export type MoveResult = TypeOf<typeof moveResult>;
