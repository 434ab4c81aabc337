// `navigator.locks`: its native code holds a lock as long as a native promise is pending that the callback has answered. A program's promises are none, and those
// of an async function of the program's are answered all the time.
import { types } from 'node:util';
import { Eventual } from '@turntable/core';
import { standInBy, standInGetter } from '@turntable/loader';

type Fn = (this: unknown, ...args: unknown[]) => unknown;

const { apply, getPrototypeOf } = Reflect;
const NativePromise = Promise;

/** Before the program is loaded. Node makes them when they are first asked for, and so is this done then. */
export function placeLocks(): void {
  const { navigator } = globalThis as { navigator?: object };
  if (navigator === undefined) return;
  let isPlaced = false;
  standInGetter(getPrototypeOf(navigator) as object, 'locks', (native) => {
    const locks = native();
    if (!isPlaced && typeof locks === 'object' && locks !== null) {
      isPlaced = true;
      holdByPromises(getPrototypeOf(locks) as object);
    }
    return locks;
  });
}

function holdByPromises(manager: object): void {
  standInBy(manager, 'request', (native, self, args) =>
    apply(native, self, args.map((each) => (typeof each === 'function' ? holding(each as Fn) : each)) as never[]),
  );
}

function holding(callback: Fn): Fn {
  return function (this: unknown, ...args) {
    const answer = apply(callback, this, args);
    // What stands for one outside, in a thread that is recorded, is a Proxy.
    return Eventual.has(answer) || types.isProxy(answer) ? NativePromise.resolve(answer) : answer;
  };
}
