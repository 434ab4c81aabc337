// Where the program can be stood before, file by file.
import { MOST } from './parts.ts';
import { closed, integer, list, object, optional, text } from './schema.ts';

export const statements = {
  about:
    'The statements of a file that can be stood before: where each begins, and how. A breakpoint with a line and a column is met at exactly the one that begins there.',
  params: closed({
    file: text('as statements have it', 4000),
    first: optional(integer('only those that begin at this line or behind it', 1)),
    last: optional(integer('only those that begin up to this line, with that', 1)),
    from: optional(integer('how many to leave out')),
    count: integer('how many at most', 1, MOST),
  }),
  result: object({
    statements: optional(
      list(
        object({
          line: integer('from 1 on', 1),
          column: integer('from 1 on', 1),
          endLine: integer('where it ends', 1),
          endColumn: integer('', 1),
          function: text('in which it is; empty for the file itself', 2000),
          kind: text('of the statement'),
        }),
        'in the order of the text, one for each place; not there, if they are not known: the recording has not the text, or it is no code',
        MOST,
      ),
    ),
    total: integer('how many there are, of those that were asked for'),
  }),
} as const;
