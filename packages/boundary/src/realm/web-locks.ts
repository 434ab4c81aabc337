// `navigator.locks`: native code holds a lock while the native promise returned by the callback is pending. Programs
// return eventuals, so the callback is wrapped to return a native promise.
import { types } from 'node:util';
import { Eventual } from '@turntable/core';
import { wrapFunction, wrapGetter } from '@turntable/loader';

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

const { apply, getPrototypeOf } = Reflect;
const NativePromise = Promise;

/** Must run before the program is loaded. Node creates the locks on the first access, so they are patched then. */
export function installWebLocks(): void {
  const { navigator } = globalThis as { navigator?: object };
  if (navigator === undefined) return;
  let isPatched = false;
  wrapGetter(getPrototypeOf(navigator) as object, 'locks', (native) => {
    const locks = native();
    if (!isPatched && typeof locks === 'object' && locks !== null) {
      isPatched = true;
      patchLockRequest(getPrototypeOf(locks) as object);
    }
    return locks;
  });
}

function patchLockRequest(manager: object): void {
  wrapFunction(manager, 'request', (native, self, args) =>
    apply(
      native,
      self,
      args.map((argument) =>
        typeof argument === 'function' ? lockCallback(argument as AnyFunction) : argument,
      ) as never[],
    ),
  );
}

function lockCallback(callback: AnyFunction): AnyFunction {
  return function (this: unknown, ...args) {
    const result = apply(callback, this, args);
    // In a recorded thread the host sees eventuals as proxies.
    return Eventual.is(result) || types.isProxy(result) ? NativePromise.resolve(result) : result;
  };
}
