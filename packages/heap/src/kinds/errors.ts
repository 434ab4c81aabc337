// Errors: own properties only, except `stack`, for which V8 defines an accessor pair of the realm over a hidden text.
// The text is written (reading it formats it once, as any other read would), and the pair is created again.

import { construct, descriptorOf, receiverFirst } from '../intrinsics.ts';
import { FIRST_KIND } from '../tags.ts';
import type { ObjectKind } from '../object-kind.ts';

const { captureStackTrace } = Error as unknown as { captureStackTrace(object: object): void };
const stackDescriptor = descriptorOf(new Error('sample'), 'stack') as PropertyDescriptor;
const stackGetter = stackDescriptor.get as (() => unknown) | undefined;
const readStack = stackGetter && receiverFirst(stackGetter);
const writeStack = stackDescriptor.set && receiverFirst(stackDescriptor.set as (value: unknown) => void);

/** Returns whether a property is the accessor pair that V8 gives to errors and targets of `Error.captureStackTrace`. */
export function isStackAccessor(descriptor: PropertyDescriptor): boolean {
  return stackGetter !== undefined && descriptor.get === stackGetter;
}

export function readStackText(object: object): unknown {
  return readStack?.(object as never);
}

/** Gives an object a `stack` with the given text, as `Error.captureStackTrace` defines it. */
export function defineStack(object: object, stackText: unknown): void {
  withoutStackTrace(() => {
    if (descriptorOf(object, 'stack') === undefined) captureStackTrace(object);
  });
  writeStack?.(object as never, stackText);
}

export function withoutStackTrace<R>(make: () => R): R {
  const limit = descriptorOf(Error, 'stackTraceLimit');
  const isSettable = limit?.writable === true;
  if (isSettable) Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    if (isSettable) Error.stackTraceLimit = limit.value as number;
  }
}

export const errorKind: ObjectKind = {
  tag: FIRST_KIND + 12,
  name: 'error',
  prototype: undefined,
  matches: (object, { types }) => types.isNativeError(object),
  isBare: () => false,
  initialKeys: ['stack'],
  allocate: () => withoutStackTrace(() => construct(Error, []) as object),
};

export const ERROR_KINDS: readonly ObjectKind[] = [errorKind];
