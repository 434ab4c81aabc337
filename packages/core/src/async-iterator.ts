// The iterator of a `for await` or an async `yield*`. A synchronous iterable gets a wrapper, whose results have awaited
// values (ECMA-262 §27.1.6, %AsyncFromSyncIteratorPrototype%). The wrapper and its continuations are plain data.

import { UNWRAP_RESULT, type Continuation } from './frame.ts';
import { NativeTypeError, apply, isObject } from './intrinsics.ts';
import { formatValue } from './value-format.ts';
import { iterator } from './iterator.ts';
import { requireCallable, closeQuietly, notCallableError, requireResult } from './iterator-protocol.ts';
import type { Eventual } from './eventual.ts';
import type { Eventuals } from './eventuals.ts';

export interface IteratorRecord {
  iterator: object;
  next: unknown;
}

type Method = (...args: never[]) => unknown;

export interface AsyncIterators {
  /** Opens the iterator of a value. @param createError makes the error for a value without any iterator */
  asyncIterator(value: unknown, createError?: (value: unknown) => TypeError): IteratorRecord;
  /** Class of the wrappers, for capture. */
  AsyncFromSync: new (source: object, method: unknown) => object;
  /** Settles a wrapper's result after its value has settled. Only the job queue may call it. */
  unwrap(continuation: Continuation, value: unknown, rejected: number): void;
}

/** `detail` of an unwrapping continuation. */
interface UnwrapDetail {
  done: boolean;
  /** Iterator to close if the value rejects. */
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
    next(...args: unknown[]): Eventual {
      const eventual = eventuals.create();
      let result: unknown;
      try {
        result = apply(requireCallable(this.method), this.source, args as never[]);
      } catch (error) {
        eventuals.reject(eventual, error);
        return eventual;
      }
      return resolveUnwrapped(eventual, result, this.source, true);
    }
    return(...args: unknown[]): Eventual {
      const eventual = eventuals.create();
      let result: unknown;
      try {
        const method: unknown = (this.source as { return?: unknown }).return;
        if (method === undefined || method === null) {
          eventuals.resolve(eventual, { value: args[0], done: true });
          return eventual;
        }
        result = apply(requireCallable(method), this.source, args as never[]);
      } catch (error) {
        eventuals.reject(eventual, error);
        return eventual;
      }
      return resolveUnwrapped(eventual, result, this.source, false);
    }
    throw(...args: unknown[]): Eventual {
      const eventual = eventuals.create();
      let result: unknown;
      try {
        const method: unknown = (this.source as { throw?: unknown }).throw;
        if (method === undefined || method === null) {
          closeIterator(this.source);
          throw new NativeTypeError("The iterator does not provide a 'throw' method.");
        }
        result = apply(requireCallable(method), this.source, args as never[]);
      } catch (error) {
        eventuals.reject(eventual, error);
        return eventual;
      }
      return resolveUnwrapped(eventual, result, this.source, true);
    }
  }

  /** AsyncFromSyncIteratorContinuation of ECMA-262. */
  function resolveUnwrapped(eventual: Eventual, result: unknown, source: object, closeOnRejection: boolean): Eventual {
    let inner: Eventual;
    let done: boolean;
    try {
      const object = requireResult(result);
      done = Boolean(object.done);
      const { value } = object;
      try {
        inner = eventuals.toEventual(value);
      } catch (error) {
        if (!done && closeOnRejection) closeQuietly(source);
        throw error;
      }
    } catch (error) {
      eventuals.reject(eventual, error);
      return eventual;
    }
    const unwrapping: UnwrapDetail = { done, close: done || !closeOnRejection ? undefined : source };
    eventuals.register(inner, eventuals.continuation(UNWRAP_RESULT, eventual, unwrapping));
    return eventual;
  }

  function unwrap(continuation: Continuation, value: unknown, rejected: number): void {
    const eventual = continuation.target as Eventual;
    const { done, close: source } = continuation.detail as UnwrapDetail;
    if (rejected === 0) return eventuals.resolve(eventual, { value, done });
    if (source !== undefined) closeQuietly(source);
    eventuals.reject(eventual, value);
  }

  function asyncIterator(value: unknown, createError = notAsyncIterableError): IteratorRecord {
    if (value === undefined || value === null)
      throw new NativeTypeError(`Cannot read properties of ${value} (reading 'Symbol(Symbol.asyncIterator)')`);
    const method: unknown = (value as AsyncIterable<unknown>)[Symbol.asyncIterator];
    if (method === undefined || method === null) {
      const source = iterator(value, createError);
      const wrapper = new AsyncFromSync(source, source.next);
      return { iterator: wrapper, next: wrapper.next };
    }
    if (typeof method !== 'function')
      throw createError === notAsyncIterableError ? createError(value) : notCallableError(method);
    const result = apply(method as Method, value, []);
    if (!isObject(result)) throw new NativeTypeError('Result of the Symbol.asyncIterator method is not an object');
    return { iterator: result, next: (result as AsyncIterator<unknown>).next };
  }

  return { asyncIterator, unwrap, AsyncFromSync };
}

function notAsyncIterableError(value: unknown): TypeError {
  return new NativeTypeError(`${formatValue(value)} is not async iterable`);
}

function closeIterator(source: object): void {
  const method: unknown = (source as { return?: unknown }).return;
  if (method === undefined || method === null) return;
  const result = apply(requireCallable(method), source, []);
  if (!isObject(result)) throw new NativeTypeError(`${formatValue(result)} is not an object`);
}
