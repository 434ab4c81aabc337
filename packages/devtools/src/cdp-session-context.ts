// Shared dependencies of a session's components, and output to the client's console.
import type { Client } from '@turntable/time-machine/client';
import type { ResultOf } from '@turntable/time-machine/protocol';
import type { RemoteObject } from './remote-object.ts';
import { EXECUTION_CONTEXT_ID, type Location, type Scripts } from './scripts.ts';

export interface CdpSessionContext {
  readonly client: Client;
  /** The server's description of the recording as last opened; the recording of a running program is reopened. */
  readonly hello: ResultOf<'hello'>;
  readonly scripts: Scripts;
  /** The URL of the program's main file. */
  readonly entry: string;
  /** Sends an event if the client has enabled its domain. */
  sendEvent(method: string, params?: object): void;
}

export interface ConsoleLine {
  readonly type: 'log' | 'info' | 'error';
  readonly text: string;
  /** An object after the text. */
  readonly object?: RemoteObject | undefined;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly location?: Location | undefined;
}

/** Prints a line to the console. */
export function printLine(
  { sendEvent, scripts }: CdpSessionContext,
  { type, text, object, time, location }: ConsoleLine,
): void {
  const url = location && scripts.scriptWithId(location.scriptId)?.url;
  sendEvent('Runtime.consoleAPICalled', {
    type,
    args: [{ type: 'string', value: text }, ...(object === undefined ? [] : [object])],
    executionContextId: EXECUTION_CONTEXT_ID,
    timestamp: time,
    stackTrace: location && { callFrames: [{ functionName: '', url, columnNumber: 0, ...location }] },
  });
}
