// Checks of the iterator protocol that core performs instead of the engine, with V8's messages.

import { NativeTypeError, apply, isObject } from './intrinsics.ts';
import { show, showWithType } from './show.ts';

type Method = (...args: never[]) => unknown;

export function notCallable(value: unknown): TypeError {
  return new NativeTypeError(`${showWithType(value)} is not a function`);
}

export function callable(value: unknown): Method {
  if (typeof value !== 'function') throw notCallable(value);
  return value as Method;
}

export function resultObject(result: unknown): IteratorResult<unknown> {
  if (!isObject(result)) throw new NativeTypeError(`Iterator result ${show(result)} is not an object`);
  return result as IteratorResult<unknown>;
}

/** Closes an iterator because of an exception, which counts more than what closing throws. */
export function closeQuietly(iterator: unknown): void {
  try {
    const method: unknown = (iterator as { return?: unknown }).return;
    if (method !== undefined && method !== null) apply(callable(method), iterator, []);
  } catch {
    // The first exception counts.
  }
}
