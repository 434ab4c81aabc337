// What the programs take from Turntable: actors of one thread, the scheduler that `turntable` puts behind its door.

import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { Scheduler } from '@turntable/runtime';

const realm = createRealm({ queueMicrotask, isNativePromise: types.isPromise, isProxy: types.isProxy });
const scheduler = new Scheduler(realm, {
  types,
  soon: queueMicrotask,
  later: setImmediate,
  now: () => performance.now(),
});

type Method = (...args: never) => unknown;
type MethodsOf<T> = { [K in keyof T as T[K] extends Method ? K : never]: T[K] };

export type FarRef<T> = {
  readonly [K in keyof MethodsOf<T>]: T[K] extends (...args: infer A) => infer R
    ? (...args: A) => Promise<Awaited<R>>
    : never;
};
type Teller<T> = {
  readonly [K in keyof MethodsOf<T>]: T[K] extends (...args: infer A) => unknown ? (...args: A) => void : never;
};

type Raw = Parameters<Scheduler['stop']>[0];
function raw(ref: object): Raw {
  return ref as Raw;
}

export function spawn<T extends object, A extends unknown[]>(
  type: new (...args: A) => T,
  ...args: NoInfer<A>
): FarRef<T> {
  return scheduler.spawn(type, args) as unknown as FarRef<T>;
}

export function tell<T>(ref: FarRef<T>): Teller<T> {
  return scheduler.tell(raw(ref)) as unknown as Teller<T>;
}

export function far<T extends object>(object: T): FarRef<T> {
  return scheduler.far(object) as unknown as FarRef<T>;
}

export function stop(ref: object): void {
  scheduler.stop(raw(ref));
}
