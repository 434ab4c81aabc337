// Request for a recording whose program is still running.
import { strictObject, number, object } from './schema.ts';

export const live = {
  refresh: {
    description:
      'Reads what a running program has recorded so far (`until` in `hello`). The program is not stopped. The server then closes all connections; clients that connect again are at the end of the recording. Bookmarks stay.',
    params: strictObject({}),
    result: object({ until: number('new end of the recording, in milliseconds since 1970') }),
  },
} as const;
