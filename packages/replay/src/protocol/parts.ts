// Pieces that many messages have.
import { integer, object, optional, text } from './schema.ts';

/** Most of what is answered at once. */
export const MOST = 1000;

export const position = text(
  'a position: phase and number of a stretch (2.137), perhaps with a statement (2.137:45.2)',
  100,
);
export const order = integer('the place of a stretch among all, from 1 on', 1);

export const value = object({
  kind: text('as typeof has it, and null'),
  preview: text('in one line', 10_000),
  class: optional(text('of an object, by what its prototype is called', 2000)),
  id: optional(integer('of what has parts: for expand, until somebody moves')),
  length: optional(integer('of a text that the preview has not all of')),
});
