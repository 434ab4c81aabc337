// Schemas that many messages share.
import { DIRECTIONS } from '../moves/move.ts';
import { INDEXED_EVENT_KINDS, TASK_KINDS } from '../task-log.ts';
import {
  union,
  boolean,
  integer,
  array,
  number,
  object,
  stringEnum,
  optional,
  recordedString,
  string,
} from './schema.ts';

/** Maximum number of items in one response. */
export const MAX_PAGE_ITEMS = 1000;

export const position = string('position: phase and number of a task (2.137), or with a statement (2.137:45.2)', 100);
export const order = integer('number of a task among all, from 1 on', 1);
export const direction = optional(stringEnum(DIRECTIONS, 'default: forward'));

export const count = integer('maximum number of items', 1, MAX_PAGE_ITEMS);
export const page = { from: optional(integer('number of items to skip')), count } as const;
export const total = integer('number of all items');
export const next = optional(integer('task from which to continue, if there may be more', 1));

export const taskRange = {
  firstTask: optional(integer('only this task and later ones', 1)),
  lastTask: optional(integer('only this task and earlier ones', 1)),
} as const;

export const value = object({
  kind: string('result of typeof, or null'),
  preview: recordedString('one line', 10_000),
  class: optional(string('class of an object, as its prototype names it', 2000)),
  id: optional(integer('id for expand or text; valid until the position changes')),
  length: optional(integer('characters of a text that the preview shows only in part')),
});

export const eventProperties = {
  kind: stringEnum(INDEXED_EVENT_KINDS, 'event kind'),
  value: union(number('bytes of output, or the phase that began'), recordedString('text of the event', 2000)),
  request: optional(integer('for a request or a response: number of the request', 1)),
  text: optional(recordedString('beginning of printed text; absent if it was not recorded', 2000)),
} as const;
export const event = object(eventProperties);

export const task = object({
  position,
  order,
  worker: integer('0 is the main thread'),
  epoch: integer('number of earlier threads of the worker'),
  number: integer('number among the tasks of its thread, from 1 on', 1),
  kind: stringEnum(TASK_KINDS, 'kind of the task'),
  title: recordedString('title for users', 5000),
  actor: string('name of its actor', 2000),
  method: optional(string('method of a call or construction', 2000)),
  source: optional(string('source of the callback of an entry', 2000)),
  methodLocation: optional(string('file and line of the method', 2000)),
  turn: optional(integer('number of a turn, as in --until of turntable replay')),
  traceEvent: integer('first event of the trace after the start of the task'),
  time: number('milliseconds since 1970'),
  statementLists: integer('lists of statements that the task enters; 0 if they were not counted'),
  sentCount: integer('number of messages that the task sends'),
  sender: optional(integer('the task that sent its message', 1)),
  events: array(event, 'its output, errors, requests and responses, and a snapshot before it'),
});

export const sourcePlace = {
  file: string('path or URL, as in stack traces', 4000),
  line: integer('from 1 on', 1),
  column: integer('from 1 on', 1),
} as const;

export const statementProperties = {
  ...sourcePlace,
  endLine: integer('line of its end', 1),
  endColumn: integer('', 1),
  function: string('its function; empty for the file itself', 2000),
  kind: string('kind of the statement'),
} as const;
export const statement = object(statementProperties);

export const entry = object({
  name: recordedString('', 10_000),
  kind: string('variable, property, accessor; inner: content of a map, a set, a promise'),
  isEnumerable: boolean(''),
  value: optional(value),
  isNotKept: optional(
    boolean(
      'whether the value is not known: the function was suspended before the recording begins and does not use it',
    ),
  ),
});
