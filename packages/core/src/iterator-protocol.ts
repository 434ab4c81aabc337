// Checks of the iterator protocol that core makes instead of the engine, with the error messages of V8.

import { NativeTypeError, apply, isObject } from './intrinsics.ts';
import { formatValue, formatWithType } from './value-format.ts';

type Method = (...args: never[]) => unknown;

export function notCallableError(value: unknown): TypeError {
  return new NativeTypeError(`${formatWithType(value)} is not a function`);
}

export function requireCallable(value: unknown): Method {
  if (typeof value !== 'function') throw notCallableError(value);
  return value as Method;
}

export function requireResult(result: unknown): IteratorResult<unknown> {
  if (!isObject(result)) throw new NativeTypeError(`Iterator result ${formatValue(result)} is not an object`);
  return result as IteratorResult<unknown>;
}

/** Closes an iterator after an exception. Errors of closing are ignored, because the exception takes precedence. */
export function closeQuietly(iterator: unknown): void {
  try {
    const method: unknown = (iterator as { return?: unknown }).return;
    if (method !== undefined && method !== null) apply(requireCallable(method), iterator, []);
  } catch {
    // The caller throws the original exception.
  }
}
