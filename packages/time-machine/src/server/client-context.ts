import { setImmediate } from 'node:timers/promises';

/** The client that has made a request, and the way to answer it. */
export interface ClientContext {
  /** Number of the client. */
  readonly client: number;
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  progress(done: number, total: number): void;
  /** Sends the answer now, before any later notification. Without a call, the result of the method is the answer. */
  answer(result: unknown): void;
}

/** Lets other requests run, then throws if this one is aborted. */
export async function yieldToOthers(context: ClientContext, done: number, total: number): Promise<void> {
  context.progress(done, total);
  await setImmediate();
  context.signal.throwIfAborted();
}
