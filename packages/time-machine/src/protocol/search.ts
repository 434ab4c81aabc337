// What is looked for by a text that somebody remembers.
import { DIRECTIONS } from '../moves/move.ts';
import { SEARCHED } from '../notes.ts';
import { between, count, MOST, order, position } from './parts.ts';
import { closed, integer, list, number, object, oneOf, optional, text } from './schema.ts';

export const search = {
  about:
    'Where a text stands, in whatever case: in what stretches are (names of actors and methods, who calls), in errors, calls of the outside, requests and their answers, and in what was printed, as far as that was noted.',
  params: closed({
    text: text('the text', 2000),
    kinds: optional(list(oneOf(SEARCHED, 'one of them'), 'only in these', SEARCHED.length)),
    ...between,
    from: order,
    count,
    direction: optional(oneOf(DIRECTIONS, 'forward unless it is said')),
  }),
  result: object({
    found: list(
      object({
        position,
        order,
        time: number('milliseconds since 1970'),
        kind: oneOf(SEARCHED, 'in what'),
        text: text('all of it', 5000),
      }),
      'in the direction that was asked for',
      MOST,
    ),
    next: optional(integer('the place from which to ask on, if there may be more', 1)),
  }),
} as const;
