// Pieces that many messages have.
import { INDEXED_EVENT_KINDS, TASK_KINDS } from '../task-log.ts';
import { union, boolean, integer, array, number, object, stringEnum, optional, string } from './schema.ts';

/** Most of what is answered at once. */
export const MAX_PAGE_ITEMS = 1000;

export const position = string(
  'a position: phase and number of a task (2.137), perhaps with a statement (2.137:45.2)',
  100,
);
export const order = integer('the place of a task among all, from 1 on', 1);

export const count = integer('how many at most', 1, MAX_PAGE_ITEMS);
/** Which part of a list is wanted. */
export const page = { from: optional(integer('how many to leave out')), count } as const;
export const total = integer('how many there are');

/** A piece of the recording. */
export const taskRange = {
  firstTask: optional(integer('only at the task at this place and behind it', 1)),
  lastTask: optional(integer('only up to the task at this place, with that', 1)),
} as const;

export const value = object({
  kind: string('as typeof has it, and null'),
  preview: string('in one line', 10_000),
  class: optional(string('of an object, by what its prototype is called', 2000)),
  id: optional(integer('of what has parts: for expand, until somebody moves')),
  length: optional(integer('of a text that the preview has not all of')),
});

export const eventProperties = {
  kind: stringEnum(INDEXED_EVENT_KINDS, 'what it is'),
  value: union(number('bytes that were written, the phase that has begun'), string('what is said', 2000)),
  request: optional(integer('of a request, and of what it was answered: its number among all requests', 1)),
  text: optional(string('of what was printed, how it begins: not there if nothing of it was noted', 2000)),
} as const;
export const event = object(eventProperties);

export const task = object({
  position,
  order,
  worker: integer('0 is the main thread'),
  epoch: integer('which life of the worker, from 0 on'),
  number: integer('among those of its thread, from 1 on', 1),
  kind: stringEnum(TASK_KINDS, 'how it begins'),
  title: string('what it is, in a few words', 5000),
  actor: string('whose it is', 2000),
  method: optional(string('of a call, and of the making of an actor', 2000)),
  source: optional(string('of an entry, who calls', 2000)),
  methodLocation: optional(string('where the method begins: file and line', 2000)),
  turn: optional(integer('of a turn, as --until of turntable replay counts them')),
  traceEvent: integer('the first event of the trace behind its beginning'),
  time: number('milliseconds since 1970'),
  statementLists: integer('lists of statements that it enters; 0 if they were not counted'),
  sentCount: integer('messages that it sends'),
  sender: optional(integer('the place of the task that has sent what it is about', 1)),
  events: array(
    event,
    'what stands there: what it prints, errors, requests, what it calls outside, a snapshot before it',
  ),
});

export const sourcePlace = {
  file: string('as stacks have it', 4000),
  line: integer('from 1 on', 1),
  column: integer('from 1 on', 1),
} as const;

export const statementProperties = {
  ...sourcePlace,
  endLine: integer('where it ends', 1),
  endColumn: integer('', 1),
  function: string('in which it is; empty for the file itself', 2000),
  kind: string('of the statement'),
} as const;
export const statement = object(statementProperties);

export const entry = object({
  name: string('', 10_000),
  kind: string('variable, property, accessor; inner: what a map, a set, a promise holds'),
  isEnumerable: boolean(''),
  value: optional(value),
});
