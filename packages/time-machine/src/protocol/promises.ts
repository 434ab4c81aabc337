// What is asked of promises where all stand.
import { MAX_PAGE_ITEMS, page, total, value } from './shapes.ts';
import { strictObject, integer, array, object, optional, string } from './schema.ts';

const location = object({
  file: string('as stacks have it', 4000),
  line: integer('from 1 on', 1),
  column: optional(integer('from 1 on; not known of where a function begins', 1)),
});

const waiter = object({
  description: string('behind "awaited by"', 2000),
  actor: string('on whose behalf', 2000),
  location: optional(location),
  promise: optional(integer('the number of the promise that its outcome settles, for promise')),
});

export const promises = {
  description:
    'Promises that somebody waits for where all stand, and who does; or one, and what it waits for, as far as that goes.',
  params: strictObject({
    promise: optional(
      integer('the number of a promise that was told of since all stand here: that one, then what it waits for'),
    ),
    actor: optional(string('only those for which actors of such a name wait, * for anything', 1000)),
    ...page,
  }),
  result: object({
    promises: array(
      object({
        value,
        worker: integer(''),
        description: string('what it is', 5000),
        location: optional(location),
        waitsFor: array(integer('of its value'), 'promises that have to be settled first'),
        reason: optional(string('why it is not settled, as far as something else is known', 5000)),
        waiters: array(waiter, 'those that began first'),
        waiterCount: integer('how many wait for it in all'),
        since: optional(
          string('the task in which somebody began to wait for it: not known of what a snapshot has brought', 100),
        ),
      }),
      '',
      MAX_PAGE_ITEMS,
    ),
    total,
  }),
} as const;
