// Listeners that native code adds to an AbortSignal because an event target's listener has this `signal` option. Their
// targets are known only when they are added, so they are recorded for capture. Only a signal's listeners pay for it.

import { NativeWeakMap, apply, defineProperty, getOwnPropertyDescriptor, ownKeys } from './intrinsics.ts';

type NativeMethod = (this: unknown, ...args: unknown[]) => unknown;

const targetsByListener = new NativeWeakMap<object, object>();
const { get, set } = NativeWeakMap.prototype as WeakMap<object, object>;

/** Starts recording. @param signals prototype of the host's signals */
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

/** The target whose listener `listener` removes. */
export function abortTargetOf(listener: object): object | undefined {
  return apply(get, targetsByListener, [listener]) as object | undefined;
}
