// `navigator.locks`: its native code holds a lock as long as a native promise is pending that the callback has answered. A program's promises are none, and those
// of an async function of the program's are answered all the time.
import { types } from 'node:util';
import { Eventual } from '@turntable/core';
import { standInBy } from '@turntable/loader';

type Fn = (this: unknown, ...args: unknown[]) => unknown;

const { apply, defineProperty, getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const NativePromise = Promise;

/** Before the program is loaded. Node makes them when they are first asked for, and so is this done then. */
export function placeLocks(): void {
  const { navigator } = globalThis as { navigator?: object };
  if (navigator === undefined) return;
  const agent = getPrototypeOf(navigator) as object;
  const descriptor = getOwnPropertyDescriptor(agent, 'locks');
  const native = descriptor?.get as Fn | undefined;
  if (native === undefined) return;
  let isPlaced = false;
  const place = {
    get locks(): unknown {
      const locks: unknown = apply(native, this, []);
      if (!isPlaced && typeof locks === 'object' && locks !== null) {
        isPlaced = true;
        holdByPromises(getPrototypeOf(locks) as object);
      }
      return locks;
    },
  };
  defineProperty(agent, 'locks', { ...descriptor, get: getOwnPropertyDescriptor(place, 'locks')?.get as Fn });
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
