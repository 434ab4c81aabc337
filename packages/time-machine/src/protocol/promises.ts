// What is asked of promises where all stand.
import { MOST, page, total, value } from './parts.ts';
import { closed, integer, list, object, optional, text } from './schema.ts';

const place = object({
  file: text('as stacks have it', 4000),
  line: integer('from 1 on', 1),
  column: optional(integer('from 1 on; not known of where a function begins', 1)),
});

const waiter = object({
  what: text('behind "awaited by"', 2000),
  actor: text('on whose behalf', 2000),
  place: optional(place),
  promise: optional(integer('the number of the promise that its outcome settles, for of')),
});

export const promises = {
  about:
    'Promises that somebody waits for where all stand, and who does; or one, and what it waits for, as far as that goes.',
  params: closed({
    of: optional(
      integer('the number of a promise that was told of since all stand here: that one, then what it waits for'),
    ),
    actor: optional(text('only those for which actors of such a name wait, * for anything', 1000)),
    ...page,
  }),
  result: object({
    promises: list(
      object({
        value,
        worker: integer(''),
        what: text('what it is', 5000),
        place: optional(place),
        on: list(integer('of its value'), 'promises that have to be settled first'),
        why: optional(text('why it is not settled, as far as something else is known', 5000)),
        waiters: list(waiter, 'those that began first'),
        waiting: integer('how many wait for it in all'),
        since: optional(
          text('the stretch in which somebody began to wait for it: not known of what a snapshot has brought', 100),
        ),
      }),
      '',
      MOST,
    ),
    total,
  }),
} as const;
