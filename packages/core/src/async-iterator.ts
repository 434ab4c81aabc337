// The iterator of a `for await` or an async `yield*`. A synchronous iterable is wrapped (ECMA-262 §27.1.6,
// %AsyncFromSyncIteratorPrototype%): results with unwrapped values, the wrapper and its continuations plain data.

import { UNWRAP_RESULT, type Continuation } from './frame.ts';
import { NativeTypeError, apply, isObject } from './intrinsics.ts';
import { show } from './show.ts';
import { iterator } from './iterator.ts';
import { callable, closeQuietly, notCallable, resultObject } from './iterator-protocol.ts';
import type { Eventual } from './eventual.ts';
import type { Eventuals } from './eventuals.ts';

export interface IteratorRecord {
  iterator: object;
  next: unknown;
}

type Method = (...args: never[]) => unknown;

export interface AsyncIterators {
  /** `refused` makes the error for a value that has neither kind of iterator. */
  asyncIterator(value: unknown, refused?: (value: unknown) => TypeError): IteratorRecord;
  /** The wrapper's class; for capture. */
  AsyncFromSync: new (source: object, method: unknown) => object;
  /** The value of a synchronous result has settled; called by the job queue only. */
  unwrap(continuation: Continuation, value: unknown, rejected: number): void;
}

/** `detail` of an unwrapping continuation. */
interface Unwrapping {
  done: boolean;
  /** The iterator to be closed when the value rejects. */
  close: object | undefined;
}

export function createAsyncIterators(eventuals: Eventuals): AsyncIterators {
  class AsyncFromSync {
    readonly source: object;
    readonly method: unknown;
    constructor(source: object, method: unknown) {
      this.source = source;
      this.method = method;
    }
    next(...sent: unknown[]): Eventual {
      const eventual = eventuals.create();
      let result: unknown;
      try {
        result = apply(callable(this.method), this.source, sent as never[]);
      } catch (error) {
        eventuals.reject(eventual, error);
        return eventual;
      }
      return proceed(eventual, result, this.source, true);
    }
    return(...sent: unknown[]): Eventual {
      const eventual = eventuals.create();
      let result: unknown;
      try {
        const method: unknown = (this.source as { return?: unknown }).return;
        if (method === undefined || method === null) {
          eventuals.resolve(eventual, { value: sent[0], done: true });
          return eventual;
        }
        result = apply(callable(method), this.source, sent as never[]);
      } catch (error) {
        eventuals.reject(eventual, error);
        return eventual;
      }
      return proceed(eventual, result, this.source, false);
    }
    throw(...sent: unknown[]): Eventual {
      const eventual = eventuals.create();
      let result: unknown;
      try {
        const method: unknown = (this.source as { throw?: unknown }).throw;
        if (method === undefined || method === null) {
          close(this.source);
          throw new NativeTypeError("The iterator does not provide a 'throw' method.");
        }
        result = apply(callable(method), this.source, sent as never[]);
      } catch (error) {
        eventuals.reject(eventual, error);
        return eventual;
      }
      return proceed(eventual, result, this.source, true);
    }
  }

  /** AsyncFromSyncIteratorContinuation */
  function proceed(eventual: Eventual, result: unknown, source: object, closeOnRejection: boolean): Eventual {
    let inner: Eventual;
    let done: boolean;
    try {
      const object = resultObject(result);
      done = Boolean(object.done);
      const { value } = object;
      try {
        inner = eventuals.eventualOf(value);
      } catch (error) {
        if (!done && closeOnRejection) closeQuietly(source);
        throw error;
      }
    } catch (error) {
      eventuals.reject(eventual, error);
      return eventual;
    }
    const unwrapping: Unwrapping = { done, close: done || !closeOnRejection ? undefined : source };
    eventuals.register(inner, eventuals.continuation(UNWRAP_RESULT, eventual, unwrapping));
    return eventual;
  }

  function unwrap(continuation: Continuation, value: unknown, rejected: number): void {
    const eventual = continuation.target as Eventual;
    const { done, close: source } = continuation.detail as Unwrapping;
    if (rejected === 0) return eventuals.resolve(eventual, { value, done });
    if (source !== undefined) closeQuietly(source);
    eventuals.reject(eventual, value);
  }

  function asyncIterator(value: unknown, refused = notAsyncIterable): IteratorRecord {
    if (value === undefined || value === null)
      throw new NativeTypeError(`Cannot read properties of ${value} (reading 'Symbol(Symbol.asyncIterator)')`);
    const method: unknown = (value as AsyncIterable<unknown>)[Symbol.asyncIterator];
    if (method === undefined || method === null) {
      const source = iterator(value, refused);
      const wrapper = new AsyncFromSync(source, source.next);
      return { iterator: wrapper, next: wrapper.next };
    }
    if (typeof method !== 'function') throw refused === notAsyncIterable ? refused(value) : notCallable(method);
    const result = apply(method as Method, value, []);
    if (!isObject(result)) throw new NativeTypeError('Result of the Symbol.asyncIterator method is not an object');
    return { iterator: result, next: (result as AsyncIterator<unknown>).next };
  }

  return { asyncIterator, unwrap, AsyncFromSync };
}

function notAsyncIterable(value: unknown): TypeError {
  return new NativeTypeError(`${show(value)} is not async iterable`);
}

function close(source: object): void {
  const method: unknown = (source as { return?: unknown }).return;
  if (method === undefined || method === null) return;
  const result = apply(callable(method), source, []);
  if (!isObject(result)) throw new NativeTypeError(`${show(result)} is not an object`);
}
