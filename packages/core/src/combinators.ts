// The static methods of `Promise` (ECMA-262 §27.2.4). They ask `this` for everything, so subclasses and foreign constructors
// work; what they keep between elements is one `Gathering`, plain data behind capturable element functions.

import { finish, type CoreClosures, type Element, type Gathering } from './core-closures.ts';
import { NativePromise, NativeTypeError, apply, defineProperty, hasOwn, isObject, defineMethod } from './intrinsics.ts';
import { callable, closeQuietly, resultObject } from './iterator-protocol.ts';
import { notIterable } from './show.ts';
import type { Capability } from './frame.ts';
import type { PromiseParts } from './promise.ts';

interface IteratorState {
  iterator: Iterator<unknown>;
  next: unknown;
  done: boolean;
}

/** What one element of the iterable contributes. */
type Each = (gathering: Gathering, index: number) => { onFulfilled: unknown; onRejected: unknown };

export function defineCombinators(parts: PromiseParts, closures: CoreClosures): void {
  const { Promise, newCapability, promiseResolve, invokeThen } = parts;

  const statics = {
    all(this: unknown, iterable: unknown): unknown {
      return gatherAll(receiver(this, 'all'), iterable, false, (gathering, index) => ({
        onFulfilled: closures.element(elementOf(gathering, index)),
        onRejected: gathering.capability.reject,
      }));
    },
    allSettled(this: unknown, iterable: unknown): unknown {
      return gatherAll(receiver(this, 'allSettled'), iterable, false, (gathering, index) => {
        const element = elementOf(gathering, index);
        return { onFulfilled: closures.fulfilledElement(element), onRejected: closures.rejectedElement(element) };
      });
    },
    any(this: unknown, iterable: unknown): unknown {
      return gatherAll(receiver(this, 'any'), iterable, true, (gathering, index) => ({
        onFulfilled: gathering.capability.resolve,
        onRejected: closures.element(elementOf(gathering, index)),
      }));
    },
    race(this: unknown, iterable: unknown): unknown {
      return overIterable(receiver(this, 'race'), iterable, (capability, resolve, state) => {
        for (;;) {
          const value = step(state);
          if (state.done) return;
          invokeThen(apply(resolve, this, [value] as never[]), capability.resolve, capability.reject);
        }
      });
    },
    reject(this: unknown, reason: unknown): unknown {
      if (!isObject(this)) throw new NativeTypeError('PromiseReject called on non-object');
      const { promise, reject } = newCapability(this);
      reject(reason);
      return promise;
    },
    resolve(this: unknown, value: unknown): unknown {
      if (!isObject(this)) throw new NativeTypeError('PromiseResolve called on non-object');
      return promiseResolve(this, value);
    },
    try(this: unknown, callback: unknown, ...args: unknown[]): unknown {
      receiver(this, 'try');
      const { promise, resolve, reject } = newCapability(this);
      let result: unknown;
      try {
        result = apply(callable(callback), undefined, args as never[]);
      } catch (error) {
        reject(error);
        return promise;
      }
      resolve(result);
      return promise;
    },
    withResolvers(this: unknown): unknown {
      receiver(this, 'withResolvers');
      const { promise, resolve, reject } = newCapability(this);
      return { promise, resolve, reject };
    },
  };
  defineProperty(statics.try, 'length', { value: 1, configurable: true });
  // In the engine's order; `Promise.keyed` and what else it may have is not ours.
  for (const name of Object.getOwnPropertyNames(NativePromise)) {
    const value = (statics as Record<string, unknown>)[name];
    if (hasOwn(statics, name)) defineMethod(Promise, name, value);
  }

  function overIterable(
    constructor: unknown,
    iterable: unknown,
    body: (capability: Capability, resolve: () => unknown, state: IteratorState) => void,
  ): unknown {
    const capability = newCapability(constructor);
    let state: IteratorState | undefined;
    try {
      const resolve = callable((constructor as { resolve?: unknown }).resolve);
      state = iteratorOf(iterable);
      body(capability, resolve, state);
    } catch (error) {
      if (state !== undefined && !state.done) closeQuietly(state.iterator);
      const { reject } = capability;
      reject(error);
    }
    return capability.promise;
  }

  function gatherAll(constructor: unknown, iterable: unknown, failing: boolean, each: Each): unknown {
    return overIterable(constructor, iterable, (capability, resolve, state) => {
      const gathering: Gathering = { capability, values: [], remaining: 1, failing };
      for (let index = 0; ; index++) {
        const value = step(state);
        if (state.done) break;
        appendUndefined(gathering.values, index);
        const promise = apply(resolve, constructor, [value] as never[]);
        const { onFulfilled, onRejected } = each(gathering, index);
        gathering.remaining++;
        invokeThen(promise, onFulfilled, onRejected);
      }
      if (--gathering.remaining === 0) finish(gathering);
    });
  }
}

function elementOf(gathering: Gathering, index: number): Element {
  return { gathering, index, done: false };
}

const arrayPrototype = Array.prototype;

/** A plain store, unless a program has put a setter on `Array.prototype`. */
function appendUndefined(list: unknown[], index: number): void {
  if (!(index in arrayPrototype)) list[index] = undefined;
  else defineProperty(list, index, { value: undefined, writable: true, enumerable: true, configurable: true });
}

function receiver(value: unknown, method: string): object {
  if (!isObject(value)) throw new NativeTypeError(`Promise.${method} called on non-object`);
  return value;
}

function iteratorOf(iterable: unknown): IteratorState {
  if (iterable === undefined || iterable === null) throw notIterable(iterable);
  const method: unknown = (iterable as Iterable<unknown>)[Symbol.iterator];
  if (typeof method !== 'function') throw notIterable(iterable);
  const iterator = apply(method as () => unknown, iterable, []) as Iterator<unknown>;
  if (!isObject(iterator)) throw new NativeTypeError('Result of the Symbol.iterator method is not an object');
  return { iterator, next: iterator.next, done: false };
}

/** The next value; an iterator that throws is done, and is not closed. */
function step(state: IteratorState): unknown {
  state.done = true;
  const result = resultObject(apply(callable(state.next), state.iterator, []));
  if (result.done) return undefined;
  const { value } = result;
  state.done = false;
  return value;
}
