// Descriptions of values in error messages, as V8 prints them (Object::NoSideEffectsToString). Like V8, this runs no
// code of the program. Where JavaScript cannot determine a description, the host's `brands` do.

import {
  NativeTypeError,
  NativePromise,
  apply,
  functionPrototype,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  isObject,
} from './intrinsics.ts';

type AnyFunction = (...args: never[]) => unknown;

/** Classifications of values that JavaScript cannot make unnoticed. Approximate until a host replaces them. */
export const brands = {
  isProxy: (_value: unknown): boolean => false,
  isNativePromise: (value: unknown): boolean => isObject(value) && value instanceof NativePromise,
  /** Original source text of a function. */
  sourceText: (fn: AnyFunction): string => apply(functionPrototype.toString, fn, []) as string,
};

const { toString: objectToString } = Object.prototype;
const { toString: errorToString } = Error.prototype;
const { toString: symbolToString } = Symbol.prototype;

export function formatValue(value: unknown): string {
  if (typeof value === 'symbol') return apply(symbolToString, value, []) as string;
  if (!isObject(value)) return `${value as string}`;
  if (brands.isProxy(value)) return typeof value === 'function' ? 'function () { [native code] }' : '#<Object>';
  if (typeof value === 'function') return brands.sourceText(value as AnyFunction);
  const toString = dataPropertyOf(value, 'toString');
  if (toString === errorToString) return formatError(value);
  if (toString === objectToString) {
    const name = constructorName(dataPropertyOf(value, 'constructor'));
    if (name !== '') return `#<${name}>`;
  }
  const tag = dataPropertyOf(value, Symbol.toStringTag);
  return typeof tag === 'string' ? `[object ${tag}]` : (apply(objectToString, value, []) as string);
}

function formatError(error: object): string {
  const name = dataPropertyOf(error, 'name');
  const message = dataPropertyOf(error, 'message');
  const shownName = name === undefined ? 'Error' : formatValue(name);
  const shownMessage = message === undefined ? '' : formatValue(message);
  if (shownName === '') return shownMessage;
  return shownMessage === '' ? shownName : `${shownName}: ${shownMessage}`;
}

function constructorName(constructor: unknown): string {
  if (typeof constructor !== 'function' || brands.isProxy(constructor)) return '';
  const name = dataPropertyOf(constructor, 'name');
  return typeof name === 'string' ? name : '';
}

/** Value of a data property, own or inherited; undefined for accessors, and behind a proxy. */
function dataPropertyOf(object: object, key: PropertyKey): unknown {
  for (let at: object | null = object; at !== null && !brands.isProxy(at); at = getPrototypeOf(at)) {
    const descriptor = getOwnPropertyDescriptor(at, key);
    if (descriptor !== undefined) return descriptor.value;
  }
  return undefined;
}

/** V8's description of a value for which it finds no expression in the source. */
export function formatWithType(value: unknown): string {
  if (typeof value === 'string') return `string "${value}"`;
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return `${typeof value} ${value}`;
  return typeof value;
}

export function notIterableError(value: unknown): TypeError {
  return new NativeTypeError(`${formatWithType(value)} is not iterable (cannot read property Symbol(Symbol.iterator))`);
}
