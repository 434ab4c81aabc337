// Detects responses of recorded services that are closed before their end, usually because the client has disconnected.
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';

const RESPONSE_CLASSES: ReadonlySet<string> = new Set(['ServerResponse', 'Http2ServerResponse']);
/** Node's own method, which the program cannot replace. */
const { once: nativeOnce } = EventEmitter.prototype;

/** Whether a host class of this name represents a response of a service. */
export function isResponseClass(label: string): boolean {
  return RESPONSE_CLASSES.has(label);
}

/** @param response a native response that the program is about to see */
export function onResponseAborted(response: object, onAborted: () => void): void {
  nativeOnce.call(response as EventEmitter, 'close', () => {
    if (!(response as ServerResponse).writableEnded) onAborted();
  });
}
