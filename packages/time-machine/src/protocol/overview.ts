// What a time line asks for: all stretches, as columns of numbers.
import { closed, integer, longText, object, optional } from './schema.ts';

/** Stretches of one answer: of half a megabyte to two. */
const MOST_IN_COLUMNS = 65_536;

export const overview = {
  about:
    'Stretches as columns of numbers, for a time line of all of them: of a column the numbers stand one behind the other, as bytes with the least significant first, in base64. They are integers of one, two or four bytes each, as the largest of the column takes here, and none is below 0; of eight bytes they are floating-point numbers, for what is below 0 or takes more. A client tells that by how many there are.',
  params: closed({
    from: integer('the place of a stretch among all, from 1 on', 1),
    count: integer('how many at most', 1, MOST_IN_COLUMNS),
  }),
  result: object({
    count: integer('how many these are'),
    times: longText('microseconds since the first of all began'),
    actors: longText('whose it is, as a place in the list of actors, from 0 on'),
    kinds: longText('places in the list of kinds of hello, from 0 on'),
    senders: longText(
      'how many places before it the stretch is that has sent what it is about; 0 if that is not known',
    ),
    lists: longText('lists of statements that it enters; 0 if they were not counted'),
    standing: integer('how many things stand at them'),
    marked: longText('the place of the stretch at which each of these stands, less the place from which was asked'),
    marks: longText('what stands there, as places in the list of marks of hello, from 0 on'),
    next: optional(integer('the place from which to ask on, if there are more', 1)),
  }),
} as const;
