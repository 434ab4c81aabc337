// `util.callbackify` like Node's, with results that can be captured.
import { natives, type AnyFunction } from './natives.ts';

type Callback = (error: unknown, value?: unknown) => unknown;

function onRejected(reason: unknown, callback: Callback): unknown {
  // For a callback `null` means success.
  if (!reason) {
    const error = Object.assign(new Error('Promise was rejected with falsy value'), {
      code: 'ERR_FALSY_VALUE_REJECTION',
      reason,
    });
    Error.captureStackTrace(error, onRejected);
    return callback(error);
  }
  return callback(reason);
}

export function callbackify(original: AnyFunction): unknown {
  if (typeof original !== 'function') return (0, natives.callbackify)(original);

  function callbackified(this: unknown, ...args: unknown[]): void {
    const last = args.pop();
    if (typeof last !== 'function') return (0, natives.callbackify)(callbackify)(last);
    const callback = Reflect.apply(Function.prototype.bind, last, [this]) as Callback;
    (Reflect.apply(original, this, args as never[]) as Promise<unknown>).then(
      (value) => process.nextTick(callback, null, value),
      (reason: unknown) => process.nextTick(onRejected, reason, callback),
    );
  }

  const descriptors = Object.getOwnPropertyDescriptors(original);
  const { length, name } = descriptors as { length: PropertyDescriptor; name: PropertyDescriptor };
  if (typeof length.value === 'number') length.value++;
  if (typeof name.value === 'string') name.value += 'Callbackified';
  Object.defineProperties(callbackified, descriptors);
  return callbackified;
}
