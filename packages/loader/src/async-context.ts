// `AsyncLocalStorage` follows awaits and reactions of transformed code: from its first use on, core keeps Node's own snapshot of
// the context with everything that waits. Until then nothing is kept, so that programs without it pay nothing.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { ContextRunner, Realm } from '@turntable/core';

type Method = (this: unknown, ...args: unknown[]) => unknown;

export function followAsyncContext(realm: Realm): void {
  const prototype = AsyncLocalStorage.prototype as unknown as Record<string, Method>;
  const originals = new Map<string, PropertyDescriptor>();
  const begin = (): void => {
    for (const [name, descriptor] of originals) Object.defineProperty(prototype, name, descriptor);
    realm.trackContexts(() => AsyncLocalStorage.snapshot() as ContextRunner);
  };
  for (const name of Object.getOwnPropertyNames(prototype)) {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor;
    const original = descriptor.value as unknown;
    if (typeof original !== 'function' || name === 'constructor' || name === 'getStore') continue;
    originals.set(name, descriptor);
    const watched: Method = {
      [name](...args: unknown[]): unknown {
        begin();
        return Reflect.apply(original as Method, this, args);
      },
    }[name] as Method;
    Object.defineProperty(prototype, name, { ...descriptor, value: watched });
  }
}
