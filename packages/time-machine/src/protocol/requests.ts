// Requests to services, side by side with what they were answered.
import { MOST, order, page, position, total } from './parts.ts';
import { closed, integer, list, number, object, oneOf, optional, text } from './schema.ts';

const place = {
  position,
  order,
  time: number('milliseconds since 1970'),
} as const;

export const requests = {
  about:
    'Requests to services of the program, with what they were answered and how long that took. What the program answers is seen, and what something outside of it answers that the program had begun with.',
  params: closed({
    matching: optional(
      text('only those of which method and URL are like this, with or without the status, * for anything', 2000),
    ),
    status: optional(integer('only those that were answered with this status or a higher one')),
    state: optional(oneOf(['open', 'answered'], 'only those that were not seen to be answered; only those that were')),
    first: optional(integer('only those that the program was at from the stretch at this place on', 1)),
    last: optional(integer('only those that it was at up to the stretch at this place', 1)),
    sort: optional(
      oneOf(['came', 'slowest'], 'in the order in which they came, unless it is said; or the slowest first'),
    ),
    ...page,
  }),
  result: object({
    requests: list(
      object({
        number: integer('among all, in the order in which they came: marks say it as well', 1),
        method: text('? if the program has not read it in the stretch in which it came', 1000),
        url: text('likewise', 2000),
        status: optional(
          text(
            'of the answer; `aborted`, if nobody was there any more to be answered; not there, if it was not seen to be',
            1000,
          ),
        ),
        worker: integer('on which it was served: 0 is the main thread'),
        actor: text('whose stretch it came to, or of its answer', 2000),
        came: optional(
          object(
            place,
            'the stretch in which it came; not there, if that was before the recording, or its snapshot, begins',
          ),
        ),
        answered: optional(object(place, 'the stretch in which it was answered')),
        duration: optional(number('milliseconds between the two')),
      }),
      '',
      MOST,
    ),
    total,
  }),
} as const;
