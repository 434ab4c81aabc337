// `events.once` like Node's. Its waiting promise and its listeners can be captured.
import { AbortError } from './abort-error.ts';
import { addListener, checkOptions, onceOptions, removeListener, type Emitter } from './event-listeners.ts';

interface Options {
  readonly signal?: AbortSignal | undefined;
}

const NO_OPTIONS: Options = Object.freeze({ __proto__: null }) as Options;

export async function once(emitter: Emitter, name: PropertyKey, options: Options = NO_OPTIONS): Promise<unknown[]> {
  checkOptions(emitter, name, options);
  const { signal } = options;
  if (signal?.aborted) throw new AbortError(undefined, { cause: signal.reason });
  return new Promise((resolve, reject) => {
    const errorListener = (error: unknown): void => {
      emitter.removeListener(name, resolver);
      if (signal != null) removeListener(signal as unknown as Emitter, 'abort', abortListener);
      reject(error as Error);
    };
    const resolver = (...args: unknown[]): void => {
      if (typeof emitter.removeListener === 'function') emitter.removeListener('error', errorListener);
      if (signal != null) removeListener(signal as unknown as Emitter, 'abort', abortListener);
      resolve(args);
    };
    addListener(emitter, name, resolver, onceOptions());
    // EventTargets have no special `error` event.
    if (name !== 'error' && typeof emitter.once === 'function') emitter.once('error', errorListener);
    function abortListener(): void {
      removeListener(emitter, name, resolver);
      removeListener(emitter, 'error', errorListener);
      reject(new AbortError(undefined, { cause: signal?.reason }));
    }
    if (signal != null) addListener(signal as unknown as Emitter, 'abort', abortListener, onceOptions());
  });
}
