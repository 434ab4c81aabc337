// `navigator.locks`: its native code holds a lock as long as a native promise is pending that the callback has answered. A program's promises are none, and those
// of an async function of the program's are answered all the time.
import { types } from 'node:util';
import { Eventual } from '@turntable/core';
import { wrapFunction, wrapGetter } from '@turntable/loader';

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

const { apply, getPrototypeOf } = Reflect;
const NativePromise = Promise;

/** Before the program is loaded. Node makes them when they are first asked for, and so is this done then. */
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
    // What stands for one outside, in a thread that is recorded, is a Proxy.
    return Eventual.is(result) || types.isProxy(result) ? NativePromise.resolve(result) : result;
  };
}
