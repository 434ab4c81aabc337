// The static methods of `Promise` (ECMA-262 §27.2.4). They use only methods of `this`, so that subclasses and foreign
// constructors work. The state between elements is one `CombinatorState`, which is plain data.

import { settleCombinator, type CoreClosures, type CombinatorElement, type CombinatorState } from './core-closures.ts';
import { NativePromise, NativeTypeError, apply, defineProperty, hasOwn, isObject, defineMethod } from './intrinsics.ts';
import { requireCallable, closeQuietly, requireResult } from './iterator-protocol.ts';
import { notIterableError } from './value-format.ts';
import type { Capability } from './frame.ts';
import type { RealmPromise } from './promise.ts';

interface IteratorState {
  iterator: Iterator<unknown>;
  next: unknown;
  done: boolean;
}

/** Makes the handlers for one element of the iterable. */
type CreateHandlers = (state: CombinatorState, index: number) => { onFulfilled: unknown; onRejected: unknown };

export function defineCombinators(promise: RealmPromise, closures: CoreClosures): void {
  const { Promise, newCapability, promiseResolve, invokeThen } = promise;

  const statics = {
    all(this: unknown, iterable: unknown): unknown {
      return combineAll(requireObject(this, 'all'), iterable, false, (combinatorState, index) => ({
        onFulfilled: closures.element(createElement(combinatorState, index)),
        onRejected: combinatorState.capability.reject,
      }));
    },
    allSettled(this: unknown, iterable: unknown): unknown {
      return combineAll(requireObject(this, 'allSettled'), iterable, false, (combinatorState, index) => {
        const element = createElement(combinatorState, index);
        return { onFulfilled: closures.fulfilledElement(element), onRejected: closures.rejectedElement(element) };
      });
    },
    any(this: unknown, iterable: unknown): unknown {
      return combineAll(requireObject(this, 'any'), iterable, true, (combinatorState, index) => ({
        onFulfilled: combinatorState.capability.resolve,
        onRejected: closures.element(createElement(combinatorState, index)),
      }));
    },
    race(this: unknown, iterable: unknown): unknown {
      return iterateCombinator(requireObject(this, 'race'), iterable, (capability, resolve, state) => {
        for (;;) {
          const value = nextValue(state);
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
      requireObject(this, 'try');
      const { promise, resolve, reject } = newCapability(this);
      let result: unknown;
      try {
        result = apply(requireCallable(callback), undefined, args as never[]);
      } catch (error) {
        reject(error);
        return promise;
      }
      resolve(result);
      return promise;
    },
    withResolvers(this: unknown): unknown {
      requireObject(this, 'withResolvers');
      const { promise, resolve, reject } = newCapability(this);
      return { promise, resolve, reject };
    },
  };
  defineProperty(statics.try, 'length', { value: 1, configurable: true });
  // Defined in the engine's order. Other methods of the engine, such as `Promise.allKeyed`, are not replaced.
  for (const name of Object.getOwnPropertyNames(NativePromise)) {
    const value = (statics as Record<string, unknown>)[name];
    if (hasOwn(statics, name)) defineMethod(Promise, name, value);
  }

  function iterateCombinator(
    constructor: unknown,
    iterable: unknown,
    body: (capability: Capability, resolve: () => unknown, state: IteratorState) => void,
  ): unknown {
    const capability = newCapability(constructor);
    let state: IteratorState | undefined;
    try {
      const resolve = requireCallable((constructor as { resolve?: unknown }).resolve);
      state = openIterator(iterable);
      body(capability, resolve, state);
    } catch (error) {
      if (state !== undefined && !state.done) closeQuietly(state.iterator);
      const { reject } = capability;
      reject(error);
    }
    return capability.promise;
  }

  function combineAll(constructor: unknown, iterable: unknown, isAny: boolean, handlersFor: CreateHandlers): unknown {
    return iterateCombinator(constructor, iterable, (capability, resolve, state) => {
      const combinatorState: CombinatorState = { capability, values: [], remaining: 1, isAny };
      for (let index = 0; ; index++) {
        const value = nextValue(state);
        if (state.done) break;
        appendUndefined(combinatorState.values, index);
        const promise = apply(resolve, constructor, [value] as never[]);
        const { onFulfilled, onRejected } = handlersFor(combinatorState, index);
        combinatorState.remaining++;
        invokeThen(promise, onFulfilled, onRejected);
      }
      if (--combinatorState.remaining === 0) settleCombinator(combinatorState);
    });
  }
}

function createElement(combinatorState: CombinatorState, index: number): CombinatorElement {
  return { state: combinatorState, index, done: false };
}

const arrayPrototype = Array.prototype;

/** Appends undefined: as an assignment, unless the program has put a setter on `Array.prototype`. */
function appendUndefined(list: unknown[], index: number): void {
  if (!(index in arrayPrototype)) list[index] = undefined;
  else defineProperty(list, index, { value: undefined, writable: true, enumerable: true, configurable: true });
}

function requireObject(value: unknown, method: string): object {
  if (!isObject(value)) throw new NativeTypeError(`Promise.${method} called on non-object`);
  return value;
}

function openIterator(iterable: unknown): IteratorState {
  if (iterable === undefined || iterable === null) throw notIterableError(iterable);
  const method: unknown = (iterable as Iterable<unknown>)[Symbol.iterator];
  if (typeof method !== 'function') throw notIterableError(iterable);
  const iterator = apply(method as () => unknown, iterable, []) as Iterator<unknown>;
  if (!isObject(iterator)) throw new NativeTypeError('Result of the Symbol.iterator method is not an object');
  return { iterator, next: iterator.next, done: false };
}

/** The iterator's next value. An iterator that throws counts as done, and is not closed. */
function nextValue(state: IteratorState): unknown {
  state.done = true;
  const result = requireResult(apply(requireCallable(state.next), state.iterator, []));
  if (result.done) return undefined;
  const { value } = result;
  state.done = false;
  return value;
}
