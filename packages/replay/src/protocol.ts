// The protocol between the time machine and its clients: JSON-RPC 2.0 over a WebSocket, or any wire that carries texts. The schemas here are its source of truth: types are derived
// from them, messages are checked by them, docs/protocol.md is printed from them. A change that clients can notice makes a new version.
import { WAYS } from './conductor/ways.ts';
import { DIRECTIONS, PARAMETER_KINDS } from './moves/move.ts';
import { MARK_KINDS, STRETCH_KINDS } from './notes.ts';
import { overview } from './protocol/overview.ts';
import { MOST, order, position, value } from './protocol/parts.ts';
import { promises } from './protocol/promises.ts';
import { requests } from './protocol/requests.ts';
import { search } from './protocol/search.ts';
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

const markParts = {
  kind: oneOf(MARK_KINDS, 'what it is'),
  value: either(number('bytes that were written, the phase that has begun'), text('what is said', 2000)),
  request: optional(integer('of a request, and of what it was answered: its number among all requests', 1)),
} as const;
const mark = object(markParts);

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
  lists: integer('lists of statements that it enters; 0 if they were not counted'),
  sent: integer('messages that it sends'),
  sender: optional(integer('the place of the stretch that has sent what it is about', 1)),
  marks: list(mark, 'what stands there: what it prints, errors, requests, what it calls outside, a snapshot before it'),
});

const sourcePlace = {
  file: text('as stacks have it', 4000),
  line: integer('from 1 on', 1),
  column: integer('from 1 on', 1),
} as const;

const statement = object({
  ...sourcePlace,
  endLine: integer('where it ends', 1),
  endColumn: integer('', 1),
  function: text('in which it is; empty for the file itself', 2000),
  kind: text('of the statement'),
});

const entry = object({
  name: text('', 10_000),
  is: text('variable, property, accessor; inner: what a map, a set, a promise holds'),
  isEnumerable: flag(''),
  value: optional(value),
});

const breakpoint = object({
  id: integer('its number', 1),
  file: optional(text('of one at a line: the end of its path', 4000)),
  line: optional(integer('from 1 on', 1)),
  column: optional(integer('of one of its statements', 1)),
  kind: optional(text('of one that is of a kind: its id', 100)),
  matching: optional(text('only of what is like this, * for anything', 2000)),
  condition: optional(text('an expression that has to hold', 4000)),
  times: optional(integer('only the so-manieth time', 1)),
});

const bookmark = object({
  id: integer('its number', 1),
  position,
  note: text('what somebody has to say of it', 4000),
  stretch: optional(stretch),
});

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

const breakpointKind = object({
  id: text('by which it is asked for'),
  title: text('behind "stops at"'),
  group: text('with which it is shown'),
  tells: optional(text('what a pattern is compared with; not there, if it takes none')),
  conditions: flag('whether it takes a condition'),
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
  where,
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
      marks: list(described, 'of what stands at a stretch'),
      moves: list(move, 'all that there are'),
      breakpoints: list(breakpointKind, 'all kinds that there are beside lines; none, if stretches are not gone into'),
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
  marks: {
    about:
      'What stands at stretches: errors, requests and their answers, what was printed, snapshots, calls of the outside.',
    params: closed({
      kinds: list(oneOf(MARK_KINDS, 'one of them'), 'of which kinds', MARK_KINDS.length),
      matching: optional(text('of texts only those like this, * for anything', 2000)),
      from: order,
      count: integer('how many at most', 1, MOST),
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
  overview,
  frames: {
    about: 'The stack where all stand.',
    params: closed({}),
    result: object({
      frames: list(
        object({
          index: integer('0 is the innermost'),
          function: text('', 2000),
          place: optional(object(sourcePlace)),
          hasLocals: flag('whether its variables can be seen'),
          position: optional(position),
        }),
        'the innermost first',
      ),
    }),
  },
  variables: {
    about:
      'The variables of a frame where all stand: of an outer one as they were when its statement began. Objects that were told of before are forgotten then.',
    params: closed({ frame: optional(integer('0 is the innermost, which it is unless it is said')) }),
    result: object({ entries: list(entry, 'with their values') }),
  },
  expand: {
    about: 'The parts of an object that was told of since all stand here.',
    params: closed({
      id: integer('of its value'),
      from: optional(integer('how many to leave out')),
      count: integer('how many at most', 1, MOST),
    }),
    result: object({ entries: list(entry, '', MOST), total: integer('how many there are') }),
  },
  population: {
    about: 'The actors that live where all stand, as far as they are known, and how many messages wait for each.',
    params: closed({ from: optional(integer('how many to leave out')), count: integer('how many at most', 1, MOST) }),
    result: object({
      actors: list(
        object({
          worker: integer(''),
          id: integer('for mailbox'),
          name: text('', 2000),
          turns: integer('that it has had'),
          waiting: integer('messages'),
          value: optional(value),
        }),
        '',
        MOST,
      ),
      total: integer('how many there are'),
    }),
  },
  mailbox: {
    about: 'The messages that wait for an actor where all stand, the next one first.',
    params: closed({
      worker: integer('where it lives'),
      id: integer('as population has it'),
      from: optional(integer('how many to leave out')),
      count: integer('how many at most', 1, MOST),
    }),
    result: object({
      messages: list(
        object({
          what: text('a method, or what else a turn is about: construct, fulfil, reject, stop', 2000),
          from: optional(text('who has sent it; not known of what nobody waits for', 2000)),
          values: list(value, 'what it has been sent with'),
        }),
        '',
        MOST,
      ),
      total: integer('how many there are'),
    }),
  },
  promises,
  history: {
    about: 'What led to a stretch: who has sent what it is about, who has sent that, and so on back.',
    params: closed({ from: optional(position), count: integer('how many stretches at most', 1, MOST) }),
    result: object({
      stretches: list(
        object({
          stretch,
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
      count: integer('how many at most', 1, MOST),
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
      total: integer('how many there are'),
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
      count: integer('how many at most', 1, MOST),
    }),
    result: object({
      changes: list(
        object({
          stretch,
          before: text('what it came to, in one line', 10_000),
          after: text('what it came to then', 10_000),
        }),
        'in their order; the lines may be the same, if a part of a part has changed',
        MOST,
      ),
      next: optional(integer('the place from which to ask on, if there may be more', 1)),
    }),
  },
  evaluate: {
    about:
      'What an expression comes to, with the variables of the innermost frame. What it changes is gone as soon as anybody moves.',
    params: closed({ text: text('the expression', 10_000) }),
    result: object({
      value: optional(value),
      error: optional(text('what it has thrown, or why it could not be evaluated', 10_000)),
      isPure: flag('whether it has changed nothing for certain'),
    }),
  },
  breakpoints: {
    about: 'Those that there are, for all clients.',
    params: closed({}),
    result: object({ breakpoints: list(breakpoint, '') }),
  },
  break: {
    about: 'A breakpoint more, at a line or of a kind. The move breakpoint stands at it, forward and backward.',
    params: closed({
      file: optional(text('the end of its path, such as src/cart.ts', 4000)),
      line: optional(integer('from 1 on', 1)),
      column: optional(integer('of one of its statements; otherwise the first that is come to', 1)),
      kind: optional(text('in the place of a line: the id of a kind', 100)),
      matching: optional(text('of a kind: only of what is like this, * for anything', 2000)),
      condition: optional(text('an expression: it counts only where that holds', 4000)),
      times: optional(integer('only the so-manieth time of the recording that it does', 1)),
    }),
    result: breakpoint,
  },
  log: {
    about:
      'What an expression comes to each time that the recording comes by a line. It is evaluated now: nothing was printed then.',
    params: closed({
      file: text('the end of its path, such as src/cart.ts', 4000),
      line: integer('from 1 on', 1),
      column: optional(integer('of one of its statements; otherwise the first that is come to', 1)),
      condition: optional(text('an expression: only where that holds', 4000)),
      log: text('the expression', 10_000),
      from: order,
      count: integer('how many at most', 1, MOST),
    }),
    result: object({
      hits: list(
        object({
          position,
          log: optional(text('what it comes to', 100_000)),
          error: optional(text('what it, or the condition, has thrown', 100_000)),
        }),
        'in their order',
        MOST,
      ),
      next: optional(integer('the place from which to ask on, if there may be more', 1)),
    }),
  },
  unbreak: {
    about: 'One less.',
    params: closed({ id: integer('its number', 1) }),
    result: object({ found: flag('whether it was there') }),
  },
  bookmarks: {
    about:
      'Places that somebody wants to find again, of all clients. They are kept beside the recording; of those that are not in what was run again, only the position is known.',
    params: closed({}),
    result: object({ bookmarks: list(bookmark, 'in the order in which they were made') }),
  },
  bookmark: {
    about: 'A bookmark more, or, with a number, another note or place for one that there is.',
    params: closed({
      id: optional(integer('of one that there is', 1)),
      position: optional(position),
      note: optional(text('nothing of a new one, and as it was of another one, unless it is said', 4000)),
    }),
    result: bookmark,
  },
  unbookmark: {
    about: 'One less.',
    params: closed({ id: integer('its number', 1) }),
    result: object({ found: flag('whether it was there') }),
  },
  source: {
    about: 'The text of a file as it was recorded.',
    params: closed({ file: text('as statements have it', 4000) }),
    result: object({ text: optional(longText('not there, if the recording has it not')) }),
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

export type ToldStatement = TypeOf<typeof statement>;
export type ToldValue = TypeOf<typeof value>;
export type ToldBreakpoint = TypeOf<typeof breakpoint>;
export type ToldBookmark = TypeOf<typeof bookmark>;
export type ToldStretch = TypeOf<typeof stretch>;
export type Where = TypeOf<typeof where>;
export type ToldMove = TypeOf<typeof move>;
export type Landed = TypeOf<typeof landed>;
