// Responses of services, where they are recorded: whether they are closed before they have an end, mostly since their clients have gone.
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';

const RESPONSES: ReadonlySet<string> = new Set(['ServerResponse', 'Http2ServerResponse']);
/** Node's own, whatever the program has made of it. */
const { once } = EventEmitter.prototype;

/** Whether what has a class of this name outside is one. */
export function isResponse(label: string): boolean {
  return RESPONSES.has(label);
}

/** @param response a native one, which the program is about to meet */
export function whenAborted(response: object, tell: () => void): void {
  once.call(response as EventEmitter, 'close', () => {
    if (!(response as ServerResponse).writableEnded) tell();
  });
}
