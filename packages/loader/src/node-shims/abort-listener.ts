// `events.addAbortListener` like Node's, with a disposable that can be captured.
import { natives } from './natives.ts';
import { onceOptions } from './event-listeners.ts';

export function addAbortListener(signal: AbortSignal, listener: (event?: Event) => unknown): Disposable {
  const isSignal = typeof signal === 'object' && signal !== null && 'aborted' in signal;
  if (!isSignal || typeof listener !== 'function') (0, natives.addAbortListener)(signal, listener);
  let removeEventListener: (() => void) | undefined;
  if (signal.aborted) {
    queueMicrotask(() => listener());
  } else {
    signal.addEventListener('abort', listener, onceOptions());
    removeEventListener = () => signal.removeEventListener('abort', listener);
  }
  return {
    __proto__: null,
    [Symbol.dispose]() {
      removeEventListener?.();
    },
  } as Disposable;
}
