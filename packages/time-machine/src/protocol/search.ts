// What is looked for by a text that somebody remembers.
import { DIRECTIONS } from '../moves/move.ts';
import { SEARCH_SCOPES } from '../task-log.ts';
import { taskRange, count, MAX_PAGE_ITEMS, order, position } from './shapes.ts';
import { strictObject, integer, array, number, object, stringEnum, optional, string } from './schema.ts';

export const search = {
  description:
    'Where a text stands, in whatever case: in what tasks are (names of actors and methods, who calls), in errors, calls of the outside, requests and their answers, and in what was printed, as far as that was noted.',
  params: strictObject({
    text: string('the text', 2000),
    kinds: optional(array(stringEnum(SEARCH_SCOPES, 'one of them'), 'only in these', SEARCH_SCOPES.length)),
    ...taskRange,
    from: order,
    count,
    direction: optional(stringEnum(DIRECTIONS, 'forward unless it is said')),
  }),
  result: object({
    matches: array(
      object({
        position,
        order,
        time: number('milliseconds since 1970'),
        kind: stringEnum(SEARCH_SCOPES, 'in what'),
        text: string('all of it', 5000),
      }),
      'in the direction that was asked for',
      MAX_PAGE_ITEMS,
    ),
    next: optional(integer('the place from which to ask on, if there may be more', 1)),
  }),
} as const;
