// The realm's `Promise`: the constructor and prototype that the program sees, with all attributes of ECMA-262 §27.2.
// Functions that a program can hold (resolving functions, the thunks of `finally`) are in core-closures.ts, for
// capture.

import { createCoreClosures, type PromiseOperations } from './core-closures.ts';
import { Eventual, createEventualWithPrototype, createEventualFactory } from './eventual.ts';
import { createEventuals, type Eventuals, type PromiseIntrinsics } from './eventuals.ts';
import { Reaction, type Capability } from './frame.ts';
import {
  NativePromise,
  NativeTypeError,
  apply,
  construct,
  defineProperty,
  getPrototypeOf,
  setPrototypeOf,
  defineMethod,
} from './intrinsics.ts';
import { brands, formatValue, formatWithType } from './value-format.ts';
import type { Jobs, CurrentExecution } from './jobs.ts';
import type { Rejections } from './rejections.ts';

export interface RealmPromise extends PromiseOperations {
  Promise: PromiseConstructor;
  eventuals: Eventuals;
  newCapability(constructor: unknown): Capability;
  /** Makes native promises instances of the realm's `Promise`. Must run before any program code. */
  install(): void;
}

type Constructor = new (...args: never[]) => unknown;

export function isConstructor(value: unknown): value is Constructor {
  if (typeof value !== 'function') return false;
  try {
    construct(Object, [], value);
    return true;
  } catch {
    return false;
  }
}

export function createPromise(jobs: Jobs, current: CurrentExecution, rejections: Rejections): RealmPromise {
  const { prototype, create } = createEventualFactory() as {
    prototype: PromiseLike<unknown> & object;
    create: () => Eventual;
  };
  const intrinsics: PromiseIntrinsics = { constructor: undefined, then: undefined, speciesOf, performThen };
  const closures = createCoreClosures(() => realmPromise);
  const eventuals = createEventuals(jobs, current, rejections, intrinsics, create, (eventual) => {
    const state = { eventual, done: false };
    return [closures.resolve(state), closures.reject(state)];
  });
  const { register } = eventuals;

  const { Promise } = {
    Promise: function (this: object, executor: unknown): unknown {
      if (new.target === undefined) throw new NativeTypeError("Promise constructor cannot be invoked without 'new'");
      if (typeof executor !== 'function')
        throw new NativeTypeError(`Promise resolver ${formatValue(executor)} is not a function`);
      // For the realm's own class, `create` is used: all its eventuals must have one hidden class.
      const eventual =
        (new.target as unknown) === Promise ? create() : createEventualWithPrototype(getPrototypeOf(this) as object);
      const state = { eventual, done: false };
      try {
        apply(executor as () => void, undefined, [closures.resolve(state), closures.reject(state)] as never[]);
      } catch (error) {
        closures.rejectOnce(state, error);
      }
      return eventual;
    },
  } as unknown as { Promise: PromiseConstructor & { prototype: PromiseLike<unknown> & object } };

  const methods = {
    then(this: unknown, onFulfilled?: unknown, onRejected?: unknown): unknown {
      if (!Eventual.is(this)) {
        if (isNative(this))
          return apply(prototype.then, eventuals.toEventual(this), [onFulfilled, onRejected] as never[]);
        throw new NativeTypeError(`Method Promise.prototype.then called on incompatible receiver ${formatValue(this)}`);
      }
      return performThen(this, speciesOf(this), onFulfilled, onRejected);
    },

    catch(this: unknown, onRejected: unknown): unknown {
      return invokeThen(this, undefined, onRejected);
    },

    finally(this: unknown, onFinally: unknown): unknown {
      if ((typeof this !== 'object' && typeof this !== 'function') || this === null) {
        throw new NativeTypeError('Promise.prototype.finally called on non-object');
      }
      const constructor = isNative(this) ? Promise : speciesOf(this);
      if (typeof onFinally !== 'function') return invokeThen(this, onFinally, onFinally);
      return invokeThen(
        this,
        closures.thenFinally(onFinally, constructor),
        closures.catchFinally(onFinally, constructor),
      );
    },
  };

  defineProperty(Promise, 'prototype', { value: prototype, writable: false });
  defineMethod(prototype, 'constructor', Promise);
  for (const [name, value] of Object.entries(methods)) defineMethod(prototype, name, value);
  intrinsics.constructor = Promise;
  intrinsics.then = prototype.then;
  defineProperty(prototype, Symbol.toStringTag, { value: 'Promise', configurable: true });

  const statics = {
    get [Symbol.species](): unknown {
      return this;
    },
  };
  const species = Object.getOwnPropertyDescriptor(statics, Symbol.species) as PropertyDescriptor;
  defineProperty(Promise, Symbol.species, { ...species, enumerable: false });

  function isNative(value: unknown): value is object {
    return brands.isNativePromise(value);
  }

  function performThen(eventual: Eventual, species: unknown, onFulfilled: unknown, onRejected: unknown): unknown {
    if (species === Promise) {
      const derived = create();
      register(eventual, new Reaction(derived, onFulfilled, onRejected, current.context));
      return derived;
    }
    const capability = newCapability(species);
    register(eventual, new Reaction(capability, onFulfilled, onRejected, current.context));
    return capability.promise;
  }

  function speciesOf(object: object): unknown {
    const constructor: unknown = object.constructor;
    if (constructor === undefined) return Promise;
    if ((typeof constructor !== 'object' && typeof constructor !== 'function') || constructor === null) {
      throw new NativeTypeError('The .constructor property is not an object');
    }
    const species = (constructor as { [Symbol.species]?: unknown })[Symbol.species];
    if (species === undefined || species === null) return Promise;
    if (species !== Promise && !isConstructor(species))
      throw new NativeTypeError('object.constructor[Symbol.species] is not a constructor');
    return species;
  }

  function newCapability(constructor: unknown): Capability {
    if (constructor === Promise) {
      const eventual = create();
      const state = { eventual, done: false };
      return { promise: eventual, resolve: closures.resolve(state), reject: closures.reject(state) };
    }
    if (!isConstructor(constructor)) throw new NativeTypeError(`${formatValue(constructor)} is not a constructor`);
    const capability = { promise: undefined, resolve: undefined, reject: undefined } as unknown as Capability;
    const promise: unknown = new (constructor as new (executor: unknown) => unknown)(closures.executor(capability));
    if (typeof capability.resolve !== 'function' || typeof capability.reject !== 'function') {
      throw new NativeTypeError('Promise resolve or reject function is not callable');
    }
    capability.promise = promise;
    return capability;
  }

  function promiseResolve(constructor: unknown, value: unknown): unknown {
    if (Eventual.is(value) && value.constructor === constructor) return value;
    if (constructor === Promise) return eventuals.toEventual(value);
    const capability = newCapability(constructor);
    const { promise, resolve } = capability;
    resolve(value);
    return promise;
  }

  function invokeThen(promise: unknown, ...handlers: unknown[]): unknown {
    const then: unknown = (promise as { then?: unknown }).then;
    if (typeof then !== 'function') throw new NativeTypeError(`${formatWithType(then)} is not a function`);
    return apply(then as () => unknown, promise, handlers as never[]);
  }

  /**
   * Puts the realm's prototype into the chain of native promises, for `instanceof`: Symbol.hasInstance would be
   * visible.
   */
  function install(): void {
    setPrototypeOf(NativePromise.prototype, prototype);
  }

  const realmPromise: RealmPromise = { Promise, eventuals, newCapability, promiseResolve, invokeThen, install };
  return realmPromise;
}
