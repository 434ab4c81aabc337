import { setImmediate } from 'node:timers/promises';

/** The client of a request, with the means to answer it. */
export interface ClientContext {
  /** Number of the client. */
  readonly client: number;
  /** Aborted when the client cancels the request or disconnects. */
  readonly signal: AbortSignal;
  progress(done: number, total: number): void;
  /** Sends the answer before any later notification. If it is not called, the method's result is the answer. */
  answer(result: unknown): void;
}

/** Reports progress and lets other requests run. Throws if this request was aborted in the meantime. */
export async function yieldToOthers(context: ClientContext, done: number, total: number): Promise<void> {
  context.progress(done, total);
  await setImmediate();
  context.signal.throwIfAborted();
}
