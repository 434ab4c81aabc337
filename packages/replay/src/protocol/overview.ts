// What a time line asks for: all stretches, as columns of numbers.
import { closed, integer, longText, object, optional } from './schema.ts';

/** Stretches of one answer: of two megabytes. */
const MOST_IN_COLUMNS = 65_536;

const WORDS = '32-bit integers';

export const overview = {
  about:
    'Stretches as columns of numbers, for a time line of all of them: of a column the numbers stand one behind the other, as bytes with the least significant first, in base64.',
  params: closed({
    from: integer('the place of a stretch among all, from 1 on', 1),
    count: integer('how many at most', 1, MOST_IN_COLUMNS),
  }),
  result: object({
    count: integer('how many these are'),
    times: longText('64-bit floating-point numbers: milliseconds since the first of all began'),
    actors: longText(`${WORDS}: whose it is, as a place in the list of actors, from 0 on`),
    kinds: longText('bytes: places in the list of kinds of hello, from 0 on'),
    senders: longText(`${WORDS}: the place of the stretch that has sent what it is about; 0 if that is not known`),
    lists: longText(`${WORDS}: lists of statements that it enters; 0 if they were not counted`),
    marked: longText(`${WORDS}: places of stretches at which something stands, once for each thing`),
    marks: longText('bytes: what stands there, as places in the list of marks of hello, from 0 on'),
    next: optional(integer('the place from which to ask on, if there are more', 1)),
  }),
} as const;
