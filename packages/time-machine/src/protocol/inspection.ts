// Requests about the program at the current position: stack, variables and their parts, actors and their mailboxes.
import { EFFECTS } from '../effects.ts';
import { COMPLETION_KINDS } from '../completion-kinds.ts';
import { entry, MAX_PAGE_ITEMS, page, position, sourcePlace, total, value } from './shapes.ts';
import {
  strictObject,
  boolean,
  integer,
  array,
  object,
  stringEnum,
  optional,
  recordedString,
  string,
} from './schema.ts';

/** Maximum number of characters of a text in one response. */
const MAX_TEXT_REQUEST = 1_000_000;

export const inspection = {
  frames: {
    description:
      'The stack at the current position. After the functions on the stack come suspended functions, each of which awaits the frame before it.',
    params: strictObject({}),
    result: object({
      frames: array(
        object({
          index: integer('0 is the innermost'),
          function: string('', 2000),
          location: optional(object(sourcePlace)),
          hasLocals: boolean('whether its variables are available'),
          parameters: array(string('', 1000), 'names of the parameters of its function'),
          functionRange: optional(
            object(
              {
                line: sourcePlace.line,
                column: sourcePlace.column,
                endLine: integer('', 1),
                endColumn: integer('', 1),
              },
              'parameters and body of its function; absent outside of functions',
            ),
          ),
          position: optional(position),
          isAwaiting: optional(boolean('true for a suspended function; its location is the `await`')),
          combinator: optional(string('combinator through which it awaits, such as `all`', 100)),
          others: optional(integer('number of other functions that await the same promise')),
        }),
        'innermost first',
      ),
      moreAwaiting: optional(integer('number of awaiting functions that are left out', 1)),
    }),
  },
  framePosition: {
    description:
      'The position of a frame: of its last statement. For a suspended function, this may replay an earlier task.',
    params: strictObject({ frame: integer('index of the frame') }),
    result: object({ position: optional(position), reason: optional(string('why it has none', 1000)) }),
  },
  variables: {
    description:
      'The variables of a frame at the current position; for an outer frame, as they were when its statement began. Earlier object ids become invalid.',
    params: strictObject({ frame: optional(integer('default: 0, the innermost')) }),
    result: object({ entries: array(entry, 'variables with their values') }),
  },
  expand: {
    description: 'The parts of an object that was returned at the current position.',
    params: strictObject({ id: integer('id of its value'), ...page }),
    result: object({ entries: array(entry, '', MAX_PAGE_ITEMS), total }),
  },
  text: {
    description: 'A piece of a long text that was returned at the current position.',
    params: strictObject({
      id: integer('id of its value'),
      from: optional(integer('number of characters to skip')),
      count: integer('maximum number of characters', 1, MAX_TEXT_REQUEST),
    }),
    result: object({
      text: recordedString('the piece', MAX_TEXT_REQUEST),
      total: integer('number of characters of the whole text'),
    }),
  },
  heapSnapshot: {
    description:
      'A piece of the heap snapshot at the current position, in the format of V8 (.heapsnapshot). It has the objects that variables of files, actors and the paused stack lead to; sizes are estimates. A move ends it: the next piece is then of a new one.',
    params: strictObject({
      from: optional(integer('number of characters to skip')),
      count: integer('maximum number of characters', 1, MAX_TEXT_REQUEST),
    }),
    result: object({
      text: string('the piece', MAX_TEXT_REQUEST),
      total: integer('number of characters of the whole snapshot'),
    }),
  },
  liveActors: {
    description: 'The known actors that exist at the current position, and the number of messages that wait for each.',
    params: strictObject({
      actor: optional(string('only names that match this pattern; * matches anything', 2000)),
      ...page,
    }),
    result: object({
      actors: array(
        object({
          worker: integer(''),
          id: integer('id for mailbox'),
          name: string('', 2000),
          turns: integer('number of its turns so far'),
          waitingCount: integer('number of waiting messages'),
          value: optional(value),
        }),
        '',
        MAX_PAGE_ITEMS,
      ),
      total,
    }),
  },
  mailbox: {
    description: 'The messages that wait for an actor at the current position, the next one first.',
    params: strictObject({ worker: integer('worker of the actor'), id: integer('id as in liveActors'), ...page }),
    result: object({
      messages: array(
        object({
          subject: string('a method, or another subject of a turn: construct, fulfil, reject, stop', 2000),
          sender: optional(string('name of the sender; absent for a message that expects no answer', 2000)),
          values: optional(array(value, 'arguments; absent while the message is in flight')),
        }),
        '',
        MAX_PAGE_ITEMS,
      ),
      total,
    }),
  },
} as const;

export const partsAt = {
  description:
    'The parts of the value of an expression at any position, such as a hit of a log point. The current position and its object ids stay valid.',
  params: strictObject({
    position,
    expression: string('an expression without side effects', 10_000),
    path: optional(array(integer('', 0), 'indexes of parts that lead to the value; default: the value itself', 100)),
    ...page,
  }),
  result: object({
    entries: array(entry, 'ids in them are not valid for other requests', MAX_PAGE_ITEMS),
    total,
    error: optional(recordedString('why there are none', 10_000)),
  }),
} as const;

export const names = {
  description:
    'Names that can continue an expression: variables in scope, or properties of the object before the last dot. Nothing of the program changes.',
  params: strictObject({
    expression: string('the text up to the cursor', 10_000),
    frame: optional(integer('default: 0, the innermost')),
  }),
  result: object({
    from: integer('offset in the text of the word that the names complete'),
    names: array(
      object({ name: recordedString('', 10_000), kind: stringEnum(COMPLETION_KINDS, '') }),
      'own properties first',
    ),
  }),
} as const;

export const evaluate = {
  description:
    'Evaluates an expression with the variables of a frame. Its side effects are undone as soon as any client moves. In an outer frame, evaluation fails at the first side effect, uses the variables that `variables` returns, and makes earlier object ids invalid.',
  params: strictObject({
    expression: string('the expression', 10_000),
    frame: optional(integer('default: 0, the innermost')),
    effects: optional(stringEnum(EFFECTS, 'none: evaluation fails at the first side effect; default: any')),
  }),
  result: object({
    value: optional(value),
    error: optional(recordedString('error that the expression threw, or why it could not be evaluated', 10_000)),
    output: optional(recordedString('its output to standard output and error', 100_000)),
    isPure: boolean('whether it is certain that there were no side effects'),
  }),
} as const;
