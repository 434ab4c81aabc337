// Pieces that many messages have.
import { MARK_KINDS, STRETCH_KINDS } from '../notes.ts';
import { either, flag, integer, list, number, object, oneOf, optional, text } from './schema.ts';

/** Most of what is answered at once. */
export const MOST = 1000;

export const position = text(
  'a position: phase and number of a stretch (2.137), perhaps with a statement (2.137:45.2)',
  100,
);
export const order = integer('the place of a stretch among all, from 1 on', 1);

export const count = integer('how many at most', 1, MOST);
/** Which part of a list is wanted. */
export const page = { from: optional(integer('how many to leave out')), count } as const;
export const total = integer('how many there are');

/** A piece of the recording. */
export const between = {
  first: optional(integer('only at the stretch at this place and behind it', 1)),
  last: optional(integer('only up to the stretch at this place, with that', 1)),
} as const;

export const value = object({
  kind: text('as typeof has it, and null'),
  preview: text('in one line', 10_000),
  class: optional(text('of an object, by what its prototype is called', 2000)),
  id: optional(integer('of what has parts: for expand, until somebody moves')),
  length: optional(integer('of a text that the preview has not all of')),
});

export const markParts = {
  kind: oneOf(MARK_KINDS, 'what it is'),
  value: either(number('bytes that were written, the phase that has begun'), text('what is said', 2000)),
  request: optional(integer('of a request, and of what it was answered: its number among all requests', 1)),
  text: optional(text('of what was printed, how it begins: not there if nothing of it was noted', 2000)),
} as const;
export const mark = object(markParts);

export const stretch = object({
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

export const sourcePlace = {
  file: text('as stacks have it', 4000),
  line: integer('from 1 on', 1),
  column: integer('from 1 on', 1),
} as const;

export const statementParts = {
  ...sourcePlace,
  endLine: integer('where it ends', 1),
  endColumn: integer('', 1),
  function: text('in which it is; empty for the file itself', 2000),
  kind: text('of the statement'),
} as const;
export const statement = object(statementParts);

export const entry = object({
  name: text('', 10_000),
  is: text('variable, property, accessor; inner: what a map, a set, a promise holds'),
  isEnumerable: flag(''),
  value: optional(value),
});
