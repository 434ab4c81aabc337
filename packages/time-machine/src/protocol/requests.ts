// Requests to services, side by side with what they were answered.
import { MAX_PAGE_ITEMS, order, page, position, total } from './shapes.ts';
import { strictObject, integer, array, number, object, stringEnum, optional, string } from './schema.ts';

const taskReference = {
  position,
  order,
  time: number('milliseconds since 1970'),
} as const;

export const requests = {
  description:
    'Requests to services of the program, with what they were answered and how long that took. What the program answers is seen, and what something outside of it answers that the program had begun with.',
  params: strictObject({
    matching: optional(
      string('only those of which method and URL are like this, with or without the status, * for anything', 2000),
    ),
    status: optional(integer('only those that were answered with this status or a higher one')),
    state: optional(
      stringEnum(['open', 'answered'], 'only those that were not seen to be answered; only those that were'),
    ),
    firstTask: optional(integer('only those that the program was at from the task at this place on', 1)),
    lastTask: optional(integer('only those that it was at up to the task at this place', 1)),
    sort: optional(
      stringEnum(['received', 'slowest'], 'in the order in which they came, unless it is said; or the slowest first'),
    ),
    ...page,
  }),
  result: object({
    requests: array(
      object({
        number: integer('among all, in the order in which they came: events say it as well', 1),
        method: string('? if the program has not read it in the task in which it came', 1000),
        url: string('likewise', 2000),
        status: optional(
          string(
            'of the answer; `aborted`, if nobody was there any more to be answered; not there, if it was not seen to be',
            1000,
          ),
        ),
        worker: integer('on which it was served: 0 is the main thread'),
        actor: string('whose task it came to, or of its answer', 2000),
        received: optional(
          object(
            taskReference,
            'the task in which it came; not there, if that was before the recording, or its snapshot, begins',
          ),
        ),
        answered: optional(object(taskReference, 'the task in which it was answered')),
        durationMs: optional(number('milliseconds between the two')),
      }),
      '',
      MAX_PAGE_ITEMS,
    ),
    total,
  }),
} as const;
