// Request that lists the requests to the program's services, with their responses.
import { MAX_PAGE_ITEMS, order, page, position, total } from './shapes.ts';
import {
  strictObject,
  integer,
  array,
  number,
  object,
  stringEnum,
  optional,
  recordedString,
  string,
} from './schema.ts';

const taskReference = { position, order, time: number('milliseconds since 1970') } as const;

export const requests = {
  description:
    'Requests to services of the program, with their responses and durations. It knows the responses of the program, and responses that the host completed after the program began them.',
  params: strictObject({
    text: optional(
      string('only requests whose method and URL, or method, URL and status, contain this; * matches anything', 2000),
    ),
    status: optional(integer('only responses with at least this status')),
    state: optional(
      stringEnum(['open', 'answered'], 'open: only without a recorded response; answered: only with one'),
    ),
    firstTask: optional(integer('only requests that were open in this task or a later one', 1)),
    lastTask: optional(integer('only requests that were received in this task or an earlier one', 1)),
    sort: optional(stringEnum(['received', 'slowest'], 'default: received, in the order of receipt')),
    ...page,
  }),
  result: object({
    requests: array(
      object({
        number: integer('number among all requests, in the order of receipt, as in events', 1),
        method: string('? if the program did not read it in the task that received the request', 1000),
        url: recordedString('like `method`', 2000),
        status: optional(
          string(
            'of the response; `aborted` if the connection was closed before; absent without a recorded response',
            1000,
          ),
        ),
        worker: integer('worker that served it; 0 is the main thread'),
        actor: string('actor of the task that received or answered it', 2000),
        received: optional(
          object(taskReference, 'task that received it; absent if that was before the start of the replay'),
        ),
        answered: optional(object(taskReference, 'task that answered it')),
        durationMs: optional(number('milliseconds between the two tasks')),
      }),
      '',
      MAX_PAGE_ITEMS,
    ),
    total,
  }),
} as const;
