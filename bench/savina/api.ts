// What the programs import of the actors. Until `turntable` has these functions, they are made here of the scheduler itself, on this
// thread: everything below but the types goes when it does.

import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { Scheduler, type FarRef as Reference } from '@turntable/runtime';

type Asked<Method> = Method extends (...args: infer Args) => infer Result
  ? (...args: Args) => Promise<Awaited<Result>>
  : never;
type Told<Method> = Method extends (...args: infer Args) => unknown ? (...args: Args) => void : never;
type MethodName<T> = {
  [Key in keyof T]: T[Key] extends (...args: never) => unknown ? Key : never;
}[keyof T];

/** A reference to an object of an actor: its methods, asked for. */
export type FarRef<T> = { readonly [Key in MethodName<T>]: Asked<T[Key]> };
/** The same, told. */
export type Telling<T> = { readonly [Key in MethodName<T>]: Told<T[Key]> };

const realm = createRealm({
  queueMicrotask,
  isNativePromise: types.isPromise,
  isProxy: types.isProxy,
  unhandledRejection(_eventual, reason) {
    throw reason;
  },
});
const scheduler = new Scheduler(realm, {
  types,
  soon: queueMicrotask,
  later: setImmediate,
  now: () => performance.now(),
});

/** A new actor with an instance of the class as its root. */
export function spawn<T extends object, Args extends unknown[]>(
  type: new (...args: Args) => T,
  ...args: NoInfer<Args>
): FarRef<T> {
  return scheduler.spawn(type, args) as unknown as FarRef<T>;
}

/** For messages that nobody needs an answer to. */
export function tell<T>(ref: FarRef<T>): Telling<T> {
  return scheduler.tell(ref as unknown as Reference) as unknown as Telling<T>;
}

/** A reference to an object of one's own, for others. */
export function far<T extends object>(object: T): FarRef<T> {
  return scheduler.far(object) as unknown as FarRef<T>;
}
