// Requests for the statements of a file, and for the locations of functions.
import { MAX_PAGE_ITEMS, page, statementProperties } from './shapes.ts';
import { strictObject, integer, array, object, optional, string } from './schema.ts';

const { file: _file, ...within } = statementProperties;

export const statements = {
  description:
    'The statements of a file at which the program can pause. A breakpoint with a line and a column is hit at exactly the statement that begins there.',
  params: strictObject({
    file: string('path or URL as in statements', 4000),
    firstLine: optional(integer('only statements that begin at this line or later', 1)),
    lastLine: optional(integer('only statements that begin at this line or earlier', 1)),
    ...page,
  }),
  result: object({
    statements: optional(
      array(
        object(within),
        'in the order of the text, one for each location; absent if the recording does not have the text, or it is not code',
        MAX_PAGE_ITEMS,
      ),
    ),
    total: integer('number of all requested statements'),
  }),
} as const;

/** Request for the locations of functions. */
export const locations = {
  description: 'The first statements of the functions of a name, in the recorded code.',
  params: strictObject({ function: string('name of a function, or Class.method', 1000) }),
  result: object({
    locations: array(
      object({ file: string('path or URL', 4000), line: integer('from 1 on', 1), column: integer('from 1 on', 1) }),
      'those in packages only if there are no others',
    ),
  }),
} as const;
