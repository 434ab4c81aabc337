// Who asks something of the time machine that may take a while.
import { setImmediate } from 'node:timers/promises';

export interface ClientContext {
  readonly client: number;
  /** Aborted when the answer is not wanted any more. */
  readonly signal: AbortSignal;
  progress(done: number, total: number): void;
  /** Answers in this very moment, so that whatever is told from then on is later; by what the request comes to, if it is not called. */
  answer(result: unknown): void;
}

/** Others get their turn; then it is seen whether it is still wanted. */
export async function yieldToOthers(context: ClientContext, done: number, total: number): Promise<void> {
  context.progress(done, total);
  await setImmediate();
  context.signal.throwIfAborted();
}
