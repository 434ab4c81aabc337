// Targets of the listeners that native code adds to an AbortSignal, one for each event target's listener with this
// `signal` option. Each target is known only at this moment, so it is recorded for capture. Only such listeners pay for
// it.

import { NativeWeakMap, apply, defineProperty, getOwnPropertyDescriptor, ownKeys } from './intrinsics.ts';

type NativeMethod = (this: unknown, ...args: unknown[]) => unknown;

const targetsByListener = new NativeWeakMap<object, object>();
const { get, set } = NativeWeakMap.prototype as WeakMap<object, object>;

/** Starts recording the targets of abort listeners. @param signals prototype of the host's signals */
export function watchAbortListeners(signals: object): void {
  const keys = ownKeys(signals);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string | symbol;
    if (typeof key !== 'symbol' || key.description !== 'kNewListener') continue;
    const descriptor = getOwnPropertyDescriptor(signals, key) as PropertyDescriptor;
    const native = descriptor.value as NativeMethod;
    const { watch } = {
      watch(this: unknown): unknown {
        const args = arguments as unknown as unknown[];
        const listener = args[2];
        const target = args[6];
        if (typeof target === 'object' && target !== null && typeof listener === 'function')
          apply(set, targetsByListener, [listener, target]);
        return apply(native, this, args as never[]);
      },
    };
    defineProperty(signals, key, { ...descriptor, value: watch });
  }
}

/** Event target of an abort listener that native code added; undefined for other listeners. */
export function abortTargetOf(listener: object): object | undefined {
  return apply(get, targetsByListener, [listener]) as object | undefined;
}
