// `timers/promises` like Node's, over the program's timers, so that waiting code can be captured.
import { AbortError } from './abort-error.ts';
import { natives } from './natives.ts';

interface Options {
  readonly ref?: boolean;
  readonly signal?: AbortSignal;
}

const NO_OPTIONS: Options = Object.freeze({ __proto__: null }) as Options;

function areOptions(options: Options): boolean {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return false;
  // Reads each option as often as Node does.
  if (typeof options.signal !== 'undefined' && !isSignal(options.signal)) return false;
  return typeof options.ref === 'undefined' || typeof options.ref === 'boolean';
}

function isSignal(signal: unknown): boolean {
  return signal === undefined || (typeof signal === 'object' && signal !== null && 'aborted' in signal);
}

function isDelay(delay: unknown): boolean {
  return typeof delay === 'undefined' || typeof delay === 'number';
}

function createAbortError(signal: AbortSignal | undefined): AbortError {
  return new AbortError(undefined, { cause: signal?.reason });
}

/** Returns `promise`, or with a signal a promise that can be aborted and settles after as many microtasks as Node's. */
function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  timer: object,
  clear: (timer: never) => void,
  reject: (reason: unknown) => void,
): Promise<T> {
  if (!signal) return promise;
  const cancel = (): void => {
    if ((timer as { _destroyed: boolean })._destroyed) return;
    clear(timer as never);
    reject(createAbortError(signal));
  };
  signal.addEventListener('abort', cancel, { __proto__: null, [natives.resistStopPropagation]: true } as object);
  return new Promise((resolve, rejectOuter) => {
    new Promise<T>((fulfill, fail) => {
      promise.then(fulfill, fail);
    })
      .finally(() => signal.removeEventListener('abort', cancel))
      .then(resolve, rejectOuter);
  });
}

export function setTimeout<T>(delay?: number, value?: T, options: Options = NO_OPTIONS): Promise<T> {
  if (!isDelay(delay) || !areOptions(options))
    return Promise.reject((0, natives.refusalFor)('setTimeout', delay, value, options));
  const { signal, ref = true } = options;
  if (signal?.aborted) return Promise.reject(createAbortError(signal));
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timeout = natives.timers.setTimeout<[T]>(resolve, delay, value as T);
  if (!ref) timeout.unref();
  return abortable(promise, signal, timeout, natives.timers.clearTimeout, reject);
}

export function setImmediate<T>(value?: T, options: Options = NO_OPTIONS): Promise<T> {
  if (!areOptions(options)) return Promise.reject((0, natives.refusalFor)('setImmediate', value, options));
  const { signal, ref = true } = options;
  if (signal?.aborted) return Promise.reject(createAbortError(signal));
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const immediate = natives.timers.setImmediate(resolve, value as T);
  if (!ref) immediate.unref();
  return abortable(promise, signal, immediate, natives.timers.clearImmediate, reject);
}

export async function* setInterval<T>(
  delay?: number,
  value?: T,
  options: Options = NO_OPTIONS,
): AsyncGenerator<T | undefined> {
  if (!isDelay(delay) || !areOptions(options)) throw (0, natives.refusalFor)('setTimeout', delay, value, options);
  const { signal, ref = true } = options;
  if (signal?.aborted) throw createAbortError(signal);
  let onCancel: (() => void) | undefined;
  let interval: NodeJS.Timeout | undefined;
  try {
    let pendingTicks = 0;
    let callback: ((outcome?: Promise<never>) => void) | undefined;
    interval = natives.timers.setInterval(() => {
      pendingTicks++;
      if (callback) {
        callback();
        callback = undefined;
      }
    }, delay);
    if (!ref) interval.unref();
    if (signal) {
      onCancel = () => {
        natives.timers.clearTimeout(interval);
        if (callback) {
          callback(Promise.reject(createAbortError(signal)));
          callback = undefined;
        }
      };
      const once = { __proto__: null, once: true, [natives.resistStopPropagation]: true };
      signal.addEventListener('abort', onCancel, once as object);
    }
    // oxlint-disable-next-line no-unmodified-loop-condition -- the caller aborts it
    while (!signal?.aborted) {
      if (pendingTicks === 0) {
        await new Promise((resolve) => {
          callback = resolve as typeof callback;
        });
      }
      for (; pendingTicks > 0; pendingTicks--) yield value;
    }
    throw createAbortError(signal);
  } finally {
    natives.timers.clearTimeout(interval);
    signal?.removeEventListener('abort', onCancel as () => void);
  }
}
