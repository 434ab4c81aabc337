// The protocol between the time machine and its clients: JSON-RPC 2.0 over a WebSocket or another wire. These schemas
// are its source of truth: TypeScript derives the types from them, both sides validate messages with them, and
// docs/internals/protocol.md is printed from them. A change that clients can notice needs a new version.
import { LAST_WRITE_KINDS } from './stepping/step-result.ts';
import { DIRECTIONS, PARAMETER_KINDS } from './moves/move.ts';
import { INDEXED_EVENT_KINDS } from './task-log.ts';
import { bookmark, bookmarks } from './protocol/bookmarks.ts';
import { breakpoint, breakpointKind, breakpoints } from './protocol/breakpoints.ts';
import { live } from './protocol/live.ts';
import { evaluate, inspection, names, partsAt } from './protocol/inspection.ts';
import { overview } from './protocol/overview.ts';
import {
  taskRange,
  count,
  direction,
  entry,
  event,
  eventProperties,
  MAX_PAGE_ITEMS,
  next,
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
  recordedString,
  string,
  type Schema,
  type TypeOf,
} from './protocol/schema.ts';
import { search } from './protocol/search.ts';
import { snapshots } from './protocol/snapshots.ts';
import { locations, statements } from './protocol/statements.ts';

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
export { isNestedTooDeep, NESTING_PROBLEM } from './protocol/nesting.ts';
export { MAX_PAGE_ITEMS };
export const PROTOCOL_VERSION = 2;

/** Error codes of JSON-RPC and of this protocol. */
export const ERROR_CODES = {
  /** The text is not JSON. */
  parse: -32_700,
  /** The message is not a request. */
  request: -32_600,
  method: -32_601,
  params: -32_602,
  internal: -32_603,
  /** The client has cancelled the request. */
  cancelled: -32_800,
  /** The first request was not `hello`, or the client has another version. */
  handshake: -32_001,
  /** The recording cannot be replayed to the position, or not statement by statement. */
  replay: -32_002,
} as const;

const cursor = object({
  position,
  order: integer('number of its task among all; at the end, one more than there are tasks', 1),
  task: optional(task),
  statement: optional(statement),
});

const parameter = object({
  name: string('key in the arguments'),
  kind: stringEnum(PARAMETER_KINDS, 'kind of value'),
  title: string('description for users'),
  defaultDescription: optional(string('for an optional parameter: its default, for users')),
});

const move = object({
  id: string('id of the move in requests'),
  title: string('text after "goes to"; replace {next} by "the next" or "the previous"'),
  group: string('title of the group in which to show the move'),
  directions: array(stringEnum(DIRECTIONS, ''), 'empty if the move has no direction'),
  parameters: array(parameter, 'parameters of the move'),
});

const titledId = object({ id: string('id in messages'), title: string('title for users') });

/** Maximum number of times that one request makes a move. */
const MAX_REPEATED_MOVES = 1_000_000;

const moveParams = {
  move: string('id of the move', 100),
  direction: optional(stringEnum(DIRECTIONS, 'default: forward; only for moves that have directions')),
  arguments: optional(dictionary(union(string('', 2000), number('')), 'arguments by the names of the parameters')),
  count: optional(integer('how often to make the move; default: 1', 1, MAX_REPEATED_MOVES)),
} as const;

const moveResult = object({
  found: boolean('whether the move has a target'),
  reason: optional(recordedString('why there is no target', 2000)),
  note: optional(recordedString('note on the target, for users', 12_000)),
  lastWrite: optional(
    object(
      {
        kind: stringEnum(
          LAST_WRITE_KINDS,
          'written: by the statement at the target; passed: by the call there; sent: with the message that is sent there; settled: as the result of a promise that is settled there; resumed: the function had the value when it resumed there',
        ),
        part: string('the part of the expression that was written; its other parts came with it', 10_000),
      },
      'for the move last-write: the origin of the value',
    ),
  ),
  breakpoints: optional(array(integer('number of a breakpoint', 1), 'for continue and advance: those at the target')),
  isEdge: optional(
    boolean(
      'for continue if no breakpoint is hit, and for goto last: the target is the start of the recording, or where the program ended',
    ),
  ),
  fatalError: optional(
    recordedString('the uncaught error that ended the program, which the statement at the target threw', 2000),
  ),
  cursor,
});

/** Schemas that several messages share, by the names that docs/internals/protocol.md gives them. */
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
      'First request of every client. The result describes the recording and every move, so a client needs no list of moves.',
    params: strictObject({
      version: integer('protocol version of the client', 1),
      client: optional(string('name of the client', 100)),
    }),
    result: object({
      version: integer('protocol version', 1),
      server: object({ name: string(''), version: string('') }),
      client: integer('number of this client, as other clients see it', 1),
      recording: object({
        name: string('', 4000),
        from: optional(integer('snapshot with which the replay starts; absent for the start of the recording')),
        until: optional(
          number(
            'for a program that is still running: time up to which it is recorded, in milliseconds since 1970; see refresh',
          ),
        ),
        exitCode: optional(integer('exit code of the process; absent if it was killed or is still running')),
        verdict: string('result of a complete replay: same, truncated, incomplete, diverged'),
      }),
      canStep: boolean(
        'whether the recording is replayed statement by statement, for moves into tasks and for variables',
      ),
      taskCount: integer('number of tasks'),
      startTime: number('start of the first task, in milliseconds since 1970'),
      endTime: number('start of the last task, in milliseconds since 1970'),
      phases: array(
        object({ phase: integer('number of the phase'), firstTask: order }),
        'phases with their first tasks',
      ),
      threads: array(
        object({
          worker: integer(''),
          epoch: integer(''),
          taskCount: integer(''),
          end: optional(string('how the thread ended: ended, cut off, diverged')),
        }),
        'threads; a worker that was replaced has several, with different epochs',
      ),
      taskKinds: array(titledId, 'kinds of tasks'),
      eventKinds: array(
        object({
          id: string('id in messages'),
          title: string('title for users'),
          isOutput: boolean('whether a console shows such events'),
        }),
        'kinds of events',
      ),
      moves: array(move, 'all moves'),
      breakpointKinds: array(breakpointKind, 'kinds of breakpoints other than lines; empty without canStep'),
      cursor,
    }),
  },
  cursor: {
    description: 'The position, which all clients share.',
    params: strictObject({}),
    result: cursor,
  },
  move: {
    description: 'Moves all clients to the target. Without a target, the position stays.',
    params: strictObject(moveParams),
    result: moveResult,
  },
  find: {
    description: 'The target of a move, from the current or another position. The position stays.',
    params: strictObject({
      ...moveParams,
      from: optional(position),
      thisActor: optional(
        strictObject(
          { worker: integer('worker of the actor'), actor: string('name of the actor', 2000) },
          'the actor that `this` means in expressions; default: the value of `this` at the position',
        ),
      ),
    }),
    result: moveResult,
  },
  tasks: {
    description: 'Tasks in order, from one on.',
    params: strictObject({
      from: order,
      count,
      direction,
      actor: optional(string('only actors whose names match this pattern; * matches anything', 1000)),
      worker: optional(integer('only this worker')),
    }),
    result: object({ tasks: array(task, 'in the requested direction', MAX_PAGE_ITEMS), next }),
  },
  events: {
    description: 'Events: exceptions, requests and responses, output, snapshots, host calls.',
    params: strictObject({
      kinds: array(stringEnum(INDEXED_EVENT_KINDS, 'an event kind'), 'event kinds', INDEXED_EVENT_KINDS.length),
      text: optional(string('only events whose text contains this; * matches anything', 2000)),
      ...taskRange,
      from: order,
      count,
      direction,
    }),
    result: object({
      events: array(
        object({ position, order, time: number('milliseconds since 1970'), ...eventProperties }),
        'in the requested direction',
        MAX_PAGE_ITEMS,
      ),
      next,
    }),
  },
  search,
  requests,
  receivers: {
    description: 'The tasks that handled the messages of a task.',
    params: strictObject({ task: order, ...page }),
    result: object({ tasks: array(task, 'in order', MAX_PAGE_ITEMS), total }),
  },
  actors: {
    description: 'Actors and main programs, in the order of their first tasks.',
    params: strictObject({
      actor: optional(string('only names that match this pattern; * matches anything', 1000)),
      ...page,
    }),
    result: object({
      actors: array(
        object({
          worker: integer(''),
          name: string('', 2000),
          taskCount: integer('number of its tasks'),
          firstTask: order,
          lastTask: order,
          creation: optional(integer('the turn that constructed it', 1)),
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
    description: 'The chain of senders of a task: the task that sent its message, the sender of that task, and so on.',
    params: strictObject({ from: optional(position), count: integer('maximum number of tasks', 1, MAX_PAGE_ITEMS) }),
    result: object({
      tasks: array(
        object({
          task,
          sentAt: optional(
            string('position of the statement in the next task that sent its message, if it is known', 100),
          ),
          statement: optional(statement),
        }),
        'from the current position or `from`, backward',
        MAX_PAGE_ITEMS,
      ),
      reason: optional(string('why the last task has no known sender; absent if `count` ended the chain', 2000)),
    }),
  },
  difference: {
    description: 'Differences between the states of actors and main programs at two positions, part by part.',
    params: strictObject({
      from: position,
      to: optional(position),
      actor: optional(
        string(
          'actors whose names match this pattern; * matches anything; default: the actor of the current task',
          1000,
        ),
      ),
      skip: optional(integer('number of differences to skip')),
      count,
    }),
    result: object({
      entries: array(
        object({
          actor: string('name of the actor', 2000),
          path: recordedString('expression for the part, starting at the actor', 10_000),
          before: optional(recordedString('value in one line; absent if the state has no such part', 10_000)),
          after: optional(recordedString('like `before`', 10_000)),
        }),
        '',
        MAX_PAGE_ITEMS,
      ),
      total,
      isTruncated: boolean('whether a state has parts that were not compared'),
    }),
  },
  changes: {
    description:
      'The tasks in which the value of an expression changed. In the expression, `this` is the actor of the current task; variables belong to the current file.',
    params: strictObject({
      expression: string('the expression; it must not have side effects', 10_000),
      from: optional(position),
      firstTask: optional(order),
      lastTask: optional(order),
      count,
    }),
    result: object({
      changes: array(
        object({
          task,
          before: recordedString('value before the task, in one line', 10_000),
          after: recordedString('value after the task', 10_000),
        }),
        'in order; both texts may be equal if only a deeper part has changed',
        MAX_PAGE_ITEMS,
      ),
      next,
    }),
  },
  evaluate,
  names,
  partsAt,
  ...breakpoints,
  ...bookmarks,
  ...snapshots,
  ...live,
  source: {
    description: 'The recorded text of a source file.',
    params: strictObject({ file: string('path or URL as in statements', 4000) }),
    result: object({ source: optional(longString('absent if the recording does not have the file')) }),
  },
  sources: {
    description:
      'The source files whose texts the recording has: files that the program loaded, and others that were recorded without being run.',
    params: strictObject({}),
    result: object({
      files: array(string('a path, or a URL if it is not a file', 4000), 'without duplicates'),
      entry: optional(string('the file in which the program starts', 4000)),
    }),
  },
  statements,
  locations,
  completions: {
    description: 'Possible values of a parameter of a move.',
    params: strictObject({
      move: string('id of the move', 100),
      parameter: string('name of the parameter', 100),
      prefix: optional(string('only values with this prefix', 1000)),
      count: integer('maximum number of values', 1, 100),
    }),
    result: object({ values: array(string('', 2000), 'empty if the possible values are not known') }),
  },
} as const satisfies Record<string, Method>;

export type MethodName = keyof typeof METHODS;
export type ParamsOf<M extends MethodName> = TypeOf<(typeof METHODS)[M]['params']>;
export type ResultOf<M extends MethodName> = TypeOf<(typeof METHODS)[M]['result']>;

interface Notification {
  readonly description: string;
  readonly params: Schema<unknown>;
}

/** Notifications of clients. They are not answered. */
export const CLIENT_NOTIFICATIONS = {
  cancel: {
    description: 'Cancels a request. The request is answered with an error, unless it was answered before.',
    params: strictObject({ id: integer('id of the request') }),
  },
} as const satisfies Record<string, Notification>;

/** Options with which the user may open a refused recording. */
const OVERRIDES = ['force', 'key'] as const;
export type Override = (typeof OVERRIDES)[number];

/** Notifications of the server. */
export const SERVER_NOTIFICATIONS = {
  progress: {
    description: 'Progress of a request that takes long.',
    params: object({
      id: integer('id of the request'),
      done: integer('units that are done'),
      total: integer('maximum number of units'),
    }),
  },
  moved: {
    description: 'Another client has moved the shared position.',
    params: object({ client: integer('number of that client', 1), cursor }),
  },
  refused: {
    description:
      'The recording cannot be opened. No other message follows. Only the parent process (`--stdio`) gets this; for other clients no port is open.',
    params: object({
      reason: string('reason and remedy, in several lines', 100_000),
      overrides: array(
        stringEnum(
          OVERRIDES,
          'force: retry with --force, though the replay may diverge; key: retry with the key of the seal',
        ),
        'what the user may try',
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
