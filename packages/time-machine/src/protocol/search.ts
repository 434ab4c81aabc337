// Request for a full-text search.
import { SEARCH_SCOPES } from '../task-log.ts';
import { taskRange, count, direction, MAX_PAGE_ITEMS, next, order, position } from './shapes.ts';
import { strictObject, array, number, object, stringEnum, optional, recordedString, string } from './schema.ts';

export const search = {
  description:
    'Finds a text, ignoring case: in titles of tasks (actors, methods, sources of callbacks), errors, host calls, requests and responses, and recorded output.',
  params: strictObject({
    text: string('the text', 2000),
    kinds: optional(array(stringEnum(SEARCH_SCOPES, 'a kind of text'), 'only these', SEARCH_SCOPES.length)),
    ...taskRange,
    from: order,
    count,
    direction,
  }),
  result: object({
    matches: array(
      object({
        position,
        order,
        time: number('milliseconds since 1970'),
        kind: stringEnum(SEARCH_SCOPES, 'kind of the text'),
        text: recordedString('the whole text', 5000),
      }),
      'in the requested direction',
      MAX_PAGE_ITEMS,
    ),
    next,
  }),
} as const;
