// Where the program can be stood before, file by file.
import { MOST, page, statementParts } from './parts.ts';
import { closed, integer, list, object, optional, text } from './schema.ts';

const { file: _file, ...within } = statementParts;

export const statements = {
  about:
    'The statements of a file that can be stood before: where each begins, and how. A breakpoint with a line and a column is met at exactly the one that begins there.',
  params: closed({
    file: text('as statements have it', 4000),
    first: optional(integer('only those that begin at this line or behind it', 1)),
    last: optional(integer('only those that begin up to this line, with that', 1)),
    ...page,
  }),
  result: object({
    statements: optional(
      list(
        object(within),
        'in the order of the text, one for each place; not there, if they are not known: the recording has not the text, or it is no code',
        MOST,
      ),
    ),
    total: integer('how many there are, of those that were asked for'),
  }),
} as const;
