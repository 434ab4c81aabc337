// Where the program can be stood before, file by file.
import { MAX_PAGE_ITEMS, page, statementProperties } from './shapes.ts';
import { strictObject, integer, array, object, optional, string } from './schema.ts';

const { file: _file, ...within } = statementProperties;

export const statements = {
  description:
    'The statements of a file that can be stood before: where each begins, and how. A breakpoint with a line and a column is met at exactly the one that begins there.',
  params: strictObject({
    file: string('as statements have it', 4000),
    firstLine: optional(integer('only those that begin at this line or behind it', 1)),
    lastLine: optional(integer('only those that begin up to this line, with that', 1)),
    ...page,
  }),
  result: object({
    statements: optional(
      array(
        object(within),
        'in the order of the text, one for each place; not there, if they are not known: the recording has not the text, or it is no code',
        MAX_PAGE_ITEMS,
      ),
    ),
    total: integer('how many there are, of those that were asked for'),
  }),
} as const;
