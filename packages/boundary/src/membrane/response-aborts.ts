// Responses of services, where they are recorded: whether they are closed before they have an end, mostly since their clients have gone.
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';

const RESPONSE_CLASSES: ReadonlySet<string> = new Set(['ServerResponse', 'Http2ServerResponse']);
/** Node's own, whatever the program has made of it. */
const { once: nativeOnce } = EventEmitter.prototype;

/** Whether what has a class of this name outside is one. */
export function isResponseClass(label: string): boolean {
  return RESPONSE_CLASSES.has(label);
}

/** @param response a native one, which the program is about to meet */
export function onResponseAborted(response: object, onAborted: () => void): void {
  nativeOnce.call(response as EventEmitter, 'close', () => {
    if (!(response as ServerResponse).writableEnded) onAborted();
  });
}
