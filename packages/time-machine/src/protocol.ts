// The protocol between the time machine and its clients: JSON-RPC 2.0 over a WebSocket, or any wire that carries texts. The schemas here are its source of truth: types are derived
// from them, messages are checked by them, docs/protocol.md is printed from them. A change that clients can notice makes a new version.
import { WAYS } from './conductor/ways.ts';
import { DIRECTIONS, PARAMETER_KINDS } from './moves/move.ts';
import { MARK_KINDS } from './notes.ts';
import { bookmark, bookmarks } from './protocol/bookmarks.ts';
import { breakpoint, breakpointKind, breakpoints } from './protocol/breakpoints.ts';
import { live } from './protocol/live.ts';
import { evaluate, looking } from './protocol/looking.ts';
import { overview } from './protocol/overview.ts';
import {
  between,
  count,
  entry,
  mark,
  markParts,
  MOST,
  order,
  page,
  position,
  statement,
  stretch,
  total,
  value,
} from './protocol/parts.ts';
import { promises } from './protocol/promises.ts';
import { requests } from './protocol/requests.ts';
import {
  closed,
  either,
  flag,
  integer,
  list,
  longText,
  map,
  number,
  object,
  oneOf,
  optional,
  text,
  type Schema,
  type TypeOf,
} from './protocol/schema.ts';
import { search } from './protocol/search.ts';
import { snapshots } from './protocol/snapshots.ts';
import { statements } from './protocol/statements.ts';

export {
  either,
  flag,
  integer,
  list,
  longText,
  map,
  number,
  object,
  oneOf,
  optional,
  problemOf,
  type JsonSchema,
  type Optional,
  type Schema,
  type TypeOf,
} from './protocol/schema.ts';
export { MOST };
export const PROTOCOL_VERSION = 1;

/** JSON-RPC's own, and those of this protocol. */
export const ERRORS = {
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
  greeting: -32_001,
  /** The recording cannot be run again to there, or not statement by statement at all. */
  engine: -32_002,
} as const;

const where = object({
  position,
  order: integer('the place of its stretch; one more than there are, at the end', 1),
  stretch: optional(stretch),
  statement: optional(statement),
});

const parameter = object({
  name: text('as arguments give it'),
  kind: oneOf(PARAMETER_KINDS, 'what it says'),
  title: text('in words'),
  otherwise: optional(text('of one that need not be given: what it is then')),
});

const move = object({
  id: text('by which it is asked for'),
  title: text('behind "goes to"; {next} stands where it says the next or the previous'),
  group: text('with which it is shown'),
  directions: list(oneOf(DIRECTIONS, ''), 'none, if it leads to one place'),
  parameters: list(parameter, 'what it takes'),
});

const described = object({ id: text('in messages'), title: text('in words') });

const wanted = {
  move: text('the id of a move', 100),
  direction: optional(oneOf(DIRECTIONS, 'forward unless it is said; only of moves that have directions')),
  arguments: optional(map(either(text('', 2000), number('')), 'by the names of its parameters')),
} as const;

const landed = object({
  found: flag('whether there is such a place'),
  why: optional(text('why there is none', 2000)),
  note: optional(text('what is to be said of it', 12_000)),
  origin: optional(
    object(
      {
        way: oneOf(
          WAYS,
          'written here; passed by this call; sent with the message here; settled here, which is what has come; resumed: it was so when its function went on here',
        ),
        part: text('of what was asked about: the rest has come with it', 10_000),
      },
      'of the move wrote: how it has come to its value',
    ),
  ),
  breakpoints: optional(list(integer('the number of one', 1), 'of the move breakpoint: which of them are there')),
  where: where,
});

/** Shapes that several messages have. */
export const SHAPES = {
  Stretch: stretch,
  Mark: mark,
  Where: where,
  Statement: statement,
  Value: value,
  Entry: entry,
  Breakpoint: breakpoint,
  Bookmark: bookmark,
  BreakpointKind: breakpointKind,
  Landed: landed,
  Move: move,
  Parameter: parameter,
} as const;

interface Method {
  readonly about: string;
  readonly params: Schema<unknown>;
  readonly result: Schema<unknown>;
}

/** Requests of clients. */
export const METHODS = {
  hello: {
    about:
      'The first of every client. What there is to move about in, and every kind of move: a client has no list of its own.',
    params: closed({
      version: integer('of the protocol that the client speaks', 1),
      client: optional(text('what it is called', 100)),
    }),
    result: object({
      version: integer('of the protocol', 1),
      server: object({ name: text(''), version: text('') }),
      client: integer('the number by which others are told of this client', 1),
      recording: object({
        name: text('', 4000),
        from: optional(integer('the snapshot that it begins with; not there for the start')),
        until: optional(
          number('of a program that goes on, until when it is what was recorded: milliseconds since 1970; see renew'),
        ),
        verdict: text('whether it was the same when it was run again to its end: same, truncated, diverged'),
      }),
      statements: flag(
        'whether it is run again statement by statement: what moves into stretches, and what asks for variables',
      ),
      stretches: integer('how many there are'),
      begins: number('when the first began: milliseconds since 1970'),
      ends: number('when the last began'),
      phases: list(object({ phase: integer('its number'), begin: order }), 'phases, and where each begins'),
      threads: list(
        object({
          worker: integer(''),
          life: integer(''),
          stretches: integer(''),
          end: optional(text('how its notes end')),
        }),
        'lives of workers',
      ),
      kinds: list(described, 'of stretches'),
      marks: list(
        object({ id: text('in messages'), title: text('in words'), isOutput: flag('whether a console shows it') }),
        'of what stands at a stretch',
      ),
      moves: list(move, 'all that there are'),
      breakpoints: list(breakpointKind, 'all kinds that there are beside lines; none, if stretches are not gone into'),
      where: where,
    }),
  },
  where: {
    about: 'Where all clients stand.',
    params: closed({}),
    result: where,
  },
  move: {
    about: 'Goes there, with all clients. If there is no such place, they stay where they are.',
    params: closed(wanted),
    result: landed,
  },
  find: {
    about: 'Where a move would lead, from where all stand or from elsewhere. Nobody goes anywhere.',
    params: closed({
      ...wanted,
      from: optional(position),
      of: optional(
        closed(
          { worker: integer('where it lives'), actor: text('its name', 2000) },
          'the actor that this is in an expression; otherwise it is what it is there',
        ),
      ),
    }),
    result: landed,
  },
  stretches: {
    about: 'Stretches in their order, from a place on.',
    params: closed({
      from: order,
      count,
      direction: optional(oneOf(DIRECTIONS, 'forward unless it is said')),
      actor: optional(text('only of actors of such a name, * for anything', 1000)),
      worker: optional(integer('only on this worker')),
    }),
    result: object({
      stretches: list(stretch, 'in the direction that was asked for', MOST),
      next: optional(integer('the place from which to ask on, if there are more', 1)),
    }),
  },
  marks: {
    about:
      'What stands at stretches: errors, requests and their answers, what was printed, snapshots, calls of the outside.',
    params: closed({
      kinds: list(oneOf(MARK_KINDS, 'one of them'), 'of which kinds', MARK_KINDS.length),
      matching: optional(text('only those that say what is like this, * for anything', 2000)),
      ...between,
      from: order,
      count,
      direction: optional(oneOf(DIRECTIONS, 'forward unless it is said')),
    }),
    result: object({
      marks: list(
        object({ position, order, time: number('milliseconds since 1970'), ...markParts }),
        'in the direction that was asked for',
        MOST,
      ),
      next: optional(integer('the place from which to ask on, if there are more', 1)),
    }),
  },
  search,
  requests,
  receivers: {
    about: 'What has come of the messages that a stretch has sent.',
    params: closed({
      order: order,
      ...page,
    }),
    result: object({ stretches: list(stretch, 'in their order', MOST), total }),
  },
  actors: {
    about: 'Actors and main programs, in the order of their first stretches.',
    params: closed({
      actor: optional(text('of such a name, * for anything', 1000)),
      ...page,
    }),
    result: object({
      actors: list(
        object({
          worker: integer(''),
          name: text('', 2000),
          stretches: integer('how many it has'),
          first: order,
          last: order,
          birth: optional(integer('the turn in which it was made', 1)),
        }),
        '',
        MOST,
      ),
      total,
    }),
  },
  overview,
  ...looking,
  promises,
  history: {
    about: 'What led to a stretch: who has sent what it is about, who has sent that, and so on back.',
    params: closed({ from: optional(position), count: integer('how many stretches at most', 1, MOST) }),
    result: object({
      stretches: list(
        object({
          stretch: stretch,
          sent: optional(
            text('where the next one has sent what this one is about: a statement, if that is known', 100),
          ),
          statement: optional(statement),
        }),
        'from the one where all stand on, or where it was asked for, back',
        MOST,
      ),
      why: optional(text('why it goes no further back; not there if more was not asked for', 2000)),
    }),
  },
  difference: {
    about:
      'What differs between two positions in the states of actors and of programs outside of actors, part by part.',
    params: closed({
      from: position,
      to: optional(position),
      actor: optional(text('of such a name, * for anything; otherwise whose stretch it is where all stand', 1000)),
      skip: optional(integer('how many to leave out')),
      count,
    }),
    result: object({
      entries: list(
        object({
          actor: text('whose state', 2000),
          path: text('from the actor to the part, as an expression has it', 10_000),
          before: optional(text('in one line; not there if the part is not', 10_000)),
          after: optional(text('likewise', 10_000)),
        }),
        '',
        MOST,
      ),
      total,
      isCut: flag('whether a state has more parts than were compared'),
    }),
  },
  changes: {
    about:
      'Each stretch in which an expression became another one: of this, which is the actor whose stretch it is where all stand, and of variables of the file there.',
    params: closed({
      text: text('the expression; it must not change anything', 10_000),
      from: optional(position),
      first: optional(order),
      last: optional(order),
      count,
    }),
    result: object({
      changes: list(
        object({
          stretch: stretch,
          before: text('what it came to, in one line', 10_000),
          after: text('what it came to then', 10_000),
        }),
        'in their order; the lines may be the same, if a part of a part has changed',
        MOST,
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
    about: 'The text of a file as it was recorded.',
    params: closed({ file: text('as statements have it', 4000) }),
    result: object({ text: optional(longText('not there, if the recording has it not')) }),
  },
  sources: {
    about:
      'The files of which the recording has the texts: those of the program that were loaded, or that are there without being run.',
    params: closed({}),
    result: object({ files: list(text('a path, or a URL of what is no file', 4000), 'each once') }),
  },
  statements,
  propose: {
    about: 'What could be given for a parameter of a move, as far as it begins like this.',
    params: closed({
      move: text('the id of a move', 100),
      parameter: text('its name', 100),
      start: optional(text('what is there already', 1000)),
      count: integer('how many at most', 1, 100),
    }),
    result: object({ values: list(text('', 2000), 'none, if it could be anything') }),
  },
} as const satisfies Record<string, Method>;

export type MethodName = keyof typeof METHODS;
export type ParamsOf<M extends MethodName> = TypeOf<(typeof METHODS)[M]['params']>;
export type ResultOf<M extends MethodName> = TypeOf<(typeof METHODS)[M]['result']>;

interface Notification {
  readonly about: string;
  readonly params: Schema<unknown>;
}

/** Of clients: nobody answers. */
export const REQUESTED_BY_CLIENTS = {
  cancel: {
    about: 'A request is not wanted any more. It is answered with an error that says so, unless it was over before.',
    params: closed({ id: integer('of the request') }),
  },
} as const satisfies Record<string, Notification>;

/** What whoever opens a recording that is refused may try. */
const WAYS_PAST = ['force', 'key'] as const;
export type WayPast = (typeof WAYS_PAST)[number];

/** Of the server, unasked. */
export const NOTIFICATIONS = {
  progress: {
    about: 'How far a request is that takes long.',
    params: object({
      id: integer('of the request'),
      done: integer('what was looked at'),
      total: integer('of so much, at most'),
    }),
  },
  moved: {
    about: 'Another client has gone somewhere, and so have all.',
    params: object({ by: integer('the client', 1), where: where }),
  },
  refused: {
    about:
      'There is no time machine, and why: nothing else comes. To whoever has started the process (`--stdio`); to others no port was opened.',
    params: object({
      why: text('with what can be done about it, in lines', 100_000),
      ways: list(
        oneOf(
          WAYS_PAST,
          'force: again with --force, though it might come out otherwise; key: with the key of its seal',
        ),
        'what may be tried',
      ),
    }),
  },
} as const satisfies Record<string, Notification>;

export type NotificationName = keyof typeof NOTIFICATIONS;
export type NotificationOf<N extends NotificationName> = TypeOf<(typeof NOTIFICATIONS)[N]['params']>;

export type ToldStatement = TypeOf<typeof statement>;
export type ToldValue = TypeOf<typeof value>;
export type ToldBreakpoint = TypeOf<typeof breakpoint>;
export type ToldBookmark = TypeOf<typeof bookmark>;
export type ToldStretch = TypeOf<typeof stretch>;
export type Where = TypeOf<typeof where>;
export type ToldMove = TypeOf<typeof move>;
export type Landed = TypeOf<typeof landed>;
