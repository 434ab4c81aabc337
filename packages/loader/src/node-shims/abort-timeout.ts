// `AbortSignal.timeout`: a timer of the program that aborts a controller.
import { natives } from './natives.ts';

const MAX_DELAY_MS = 2 ** 32 - 1;

export function timeout(delay: number): AbortSignal {
  if (!Number.isInteger(delay) || delay < 0 || delay > MAX_DELAY_MS) return (0, natives.timeout)(delay);
  const controller = new AbortController();
  setTimeout(() => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  }, delay).unref();
  return controller.signal;
}
