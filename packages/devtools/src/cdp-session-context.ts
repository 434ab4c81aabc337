// What all that answers for a recording stands on.
import type { Client } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import { EXECUTION_CONTEXT_ID, type Location, type Scripts } from './scripts.ts';

export interface CdpSessionContext {
  readonly client: Client;
  /** Of the recording as it is now: one that goes on is another one when more of it has been read. */
  readonly hello: ResultOf<'hello'>;
  readonly scripts: Scripts;
  /** URL of the file that the program began with. */
  readonly entry: string;
  /** Unless the client has not enabled what this is of. */
  sendEvent(method: string, params?: object): void;
}

export interface ConsoleLine {
  readonly type: 'log' | 'info' | 'error';
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly location?: Location | undefined;
}

/** A line in the console. */
export function printLine(
  { sendEvent, scripts }: CdpSessionContext,
  { type, text, time, location }: ConsoleLine,
): void {
  const url = location && scripts.scriptWithId(location.scriptId)?.url;
  sendEvent('Runtime.consoleAPICalled', {
    type,
    args: [{ type: 'string', value: text }],
    executionContextId: EXECUTION_CONTEXT_ID,
    timestamp: time,
    stackTrace: location && { callFrames: [{ functionName: '', url, columnNumber: 0, ...location }] },
  });
}
