// Request about awaited promises.
import { MAX_PAGE_ITEMS, page, total, value } from './shapes.ts';
import { strictObject, integer, array, object, optional, recordedString, string } from './schema.ts';

const location = object({
  file: string('path or URL, as in stack traces', 4000),
  line: integer('from 1 on', 1),
  column: optional(integer('from 1 on; absent for the start of a function', 1)),
});

const waiter = object({
  description: string('text after "awaited by"', 2000),
  actor: string('name of the waiting actor', 2000),
  location: optional(location),
  promise: optional(integer('id of the promise that its outcome settles, for `promise`')),
});

export const promises = {
  description:
    'The awaited promises at the current position with their waiters; or one promise with the chain of promises that it waits for.',
  params: strictObject({
    promise: optional(
      integer(
        'id of a promise that was returned at the current position: returns it, then its chain of awaited promises',
      ),
    ),
    actor: optional(
      string('only promises that actors wait for whose names match this pattern; * matches anything', 1000),
    ),
    ...page,
  }),
  result: object({
    promises: array(
      object({
        value,
        worker: integer(''),
        description: recordedString('description for users', 5000),
        location: optional(location),
        waitsFor: array(integer('id of a promise'), 'promises that must be settled first'),
        reason: optional(recordedString('another reason why it is pending, if one is known', 5000)),
        waiters: array(waiter, 'the earliest waiters'),
        waiterCount: integer('number of all waiters'),
        since: optional(string('task in which the wait began; absent if it began before the snapshot', 100)),
      }),
      '',
      MAX_PAGE_ITEMS,
    ),
    total,
  }),
} as const;
