// The protocol between the time machine and its clients: JSON-RPC 2.0 over a WebSocket, or any wire that carries texts. The schemas here are its source of truth: types are derived
// from them, messages are checked by them, docs/protocol.md is printed from them. A change that clients can notice makes a new version.
import { DIRECTIONS, PARAMETER_KINDS } from './moves/move.ts';
import { MARK_KINDS, STRETCH_KINDS } from './notes.ts';
import {
  closed,
  either,
  flag,
  integer,
  list,
  map,
  number,
  object,
  oneOf,
  optional,
  text,
  type Schema,
  type TypeOf,
} from './protocol/schema.ts';

export const PROTOCOL_VERSION = 1;

/** Most of what is answered at once. */
export const MOST = 1000;

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
  /** The recording cannot be run again to there; `data.code` says why. */
  engine: -32_002,
} as const;

const position = text('a position: phase and number of a stretch (2.137), perhaps with a statement (2.137:45.2)', 100);
const order = integer('the place of a stretch among all, from 1 on', 1);

const mark = object({
  kind: oneOf(MARK_KINDS, 'what it is'),
  value: either(number('bytes that were written, the phase that has begun'), text('the error', 2000)),
});

const stretch = object({
  position,
  order,
  worker: integer('0 is the main thread'),
  life: integer('which life of the worker, from 0 on'),
  number: integer('among those of its thread, from 1 on', 1),
  kind: oneOf(STRETCH_KINDS, 'how it begins'),
  title: text('what it is, in a few words', 5000),
  actor: text('whose it is', 2000),
  method: optional(text('of a call, and of the making of an actor', 2000)),
  source: optional(text('of an entry, who calls', 2000)),
  place: optional(text('where the method begins: file and line', 2000)),
  turn: optional(integer('of a turn, as --until of turntable replay counts them')),
  event: integer('the first event of the trace behind its beginning'),
  time: number('milliseconds since 1970'),
  statements: integer('lists of statements that it enters; 0 if they were not counted'),
  sent: integer('messages that it sends'),
  sender: optional(integer('the place of the stretch that has sent what it is about', 1)),
  marks: list(mark, 'what stands there: what it prints, errors that nobody caught, a snapshot before it'),
});

const where = object({
  position,
  order: integer('the place of its stretch; one more than there are, at the end', 1),
  stretch: optional(stretch),
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
  where,
});

/** Shapes that several messages have. */
export const SHAPES = {
  Stretch: stretch,
  Mark: mark,
  Where: where,
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
        verdict: text('whether it was the same when it was run again to its end: same, truncated, diverged'),
      }),
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
      marks: list(described, 'of what stands at a stretch'),
      moves: list(move, 'all that there are'),
      where,
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
    params: closed({ ...wanted, from: optional(position) }),
    result: landed,
  },
  stretches: {
    about: 'Stretches in their order, from a place on.',
    params: closed({
      from: order,
      count: integer('how many at most', 1, MOST),
      direction: optional(oneOf(DIRECTIONS, 'forward unless it is said')),
      actor: optional(text('only of actors of such a name, * for anything', 1000)),
      worker: optional(integer('only on this worker')),
    }),
    result: object({
      stretches: list(stretch, 'in the direction that was asked for', MOST),
      next: optional(integer('the place from which to ask on, if there are more', 1)),
    }),
  },
  receivers: {
    about: 'What has come of the messages that a stretch has sent.',
    params: closed({
      order,
      from: optional(integer('how many to leave out')),
      count: integer('how many at most', 1, MOST),
    }),
    result: object({ stretches: list(stretch, 'in their order', MOST), total: integer('how many there are') }),
  },
  actors: {
    about: 'Actors and main programs, in the order of their first stretches.',
    params: closed({
      actor: optional(text('of such a name, * for anything', 1000)),
      from: optional(integer('how many to leave out')),
      count: integer('how many at most', 1, MOST),
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
      total: integer('how many there are'),
    }),
  },
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
    params: object({ by: integer('the client', 1), where }),
  },
} as const satisfies Record<string, Notification>;

export type NotificationName = keyof typeof NOTIFICATIONS;
export type NotificationOf<N extends NotificationName> = TypeOf<(typeof NOTIFICATIONS)[N]['params']>;

export type ToldStretch = TypeOf<typeof stretch>;
export type Where = TypeOf<typeof where>;
export type ToldMove = TypeOf<typeof move>;
export type Landed = TypeOf<typeof landed>;
