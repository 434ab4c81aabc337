// What all that answers for a recording stands on.
import type { Client } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { CONTEXT, type Location, type Scripts } from './scripts.ts';

export interface Ground {
  readonly client: Client;
  /** Of the recording as it is now: one that goes on is another one when more of it has been read. */
  readonly hello: ResultOf<'hello'>;
  readonly scripts: Scripts;
  /** URL of the file that the program began with. */
  readonly entry: string;
  /** Unless the client has not enabled what this is of. */
  tell(method: string, params?: object): void;
}

export interface Line {
  readonly type: 'log' | 'info' | 'error';
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly at?: Location | undefined;
}

/** A line in the console. */
export function print({ tell, scripts }: Ground, { type, text, time, at }: Line): void {
  const url = at && scripts.withId(at.scriptId)?.url;
  tell('Runtime.consoleAPICalled', {
    type,
    args: [{ type: 'string', value: text }],
    executionContextId: CONTEXT,
    timestamp: time,
    stackTrace: at && { callFrames: [{ functionName: '', url, columnNumber: 0, ...at }] },
  });
}
