// What is asked of a recording that goes on.
import { strictObject, number, object } from './schema.ts';

export const live = {
  refresh: {
    description:
      'Reads what the program has recorded by now, of a recording that goes on (`until` in `hello`). The program is not stopped. Then all connections are closed: who connects again stands at the end of it. Bookmarks stay.',
    params: strictObject({}),
    result: object({ until: number('until when it reaches then: milliseconds since 1970') }),
  },
} as const;
