// Intrinsics of the JavaScript realm that evaluates core, taken at load. Later patches by a program
// (`Array.prototype.push`, `Promise.prototype.then`, `Map.prototype.entries` …) must not affect core, so core uses
// methods of shared prototypes only through this file.

type Method<T, A extends unknown[], R> = (this: T, ...args: A) => R;

const { apply, construct, defineProperty, getPrototypeOf, setPrototypeOf, ownKeys, getOwnPropertyDescriptor } = Reflect;
const { create, freeze, is, hasOwn } = Object;

export {
  apply,
  construct,
  create,
  defineProperty,
  freeze,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  is,
  ownKeys,
  setPrototypeOf,
};

/** Turns a method into a function that takes the receiver as its first argument. Immune to patches of `call`. */
export function receiverFirst<T, A extends unknown[], R>(method: Method<T, A, R>): (receiver: T, ...args: A) => R {
  return (receiver, ...args) => apply(method, receiver, args) as R;
}

function prototypeOf(object: object): object {
  return getPrototypeOf(object) as object;
}

function getterOf(object: object, key: PropertyKey): unknown {
  return getOwnPropertyDescriptor(object, key)?.get;
}

export const isArray = Array.isArray;
export const sourceText = receiverFirst(Function.prototype.toString);
export const NativePromise = Promise;
export const nativeThen = Promise.prototype.then;
export const NativeTypeError = TypeError;
export const NativeWeakMap = WeakMap;
export const functionPrototype = Function.prototype;
export const iteratorPrototype: object = prototypeOf(prototypeOf([][Symbol.iterator]()));
const asyncGeneratorFunctionPrototype: object = prototypeOf(async function* () {});
export const nativeAsyncFunctionPrototype: object = prototypeOf(async function () {});
export const nativeGeneratorFunctionPrototype: object = prototypeOf(function* () {});
export const nativeAsyncGeneratorFunctionPrototype = asyncGeneratorFunctionPrototype;
export const asyncIteratorPrototype: object = prototypeOf(
  (asyncGeneratorFunctionPrototype as { prototype: { prototype?: object } & object }).prototype,
);

export const arrayIteratorPrototype = getPrototypeOf([][Symbol.iterator]()) as ArrayIterator<unknown>;
export const mapIteratorPrototype = getPrototypeOf(new Map()[Symbol.iterator]()) as MapIterator<unknown>;
export const setIteratorPrototype = getPrototypeOf(new Set()[Symbol.iterator]()) as SetIterator<unknown>;
export const stringIteratorPrototype = getPrototypeOf(''[Symbol.iterator]()) as StringIterator<string>;
export const arrayIteratorNext = arrayIteratorPrototype.next;
export const mapIteratorNext = mapIteratorPrototype.next;
export const setIteratorNext = setIteratorPrototype.next;
export const stringIteratorNext = stringIteratorPrototype.next;

export const typedArrayPrototype = getPrototypeOf(Uint8Array.prototype) as Uint8Array;
export const arrayValues: unknown = Array.prototype[Symbol.iterator];
export const typedArrayValues: unknown = typedArrayPrototype[Symbol.iterator];
export const mapEntries = Map.prototype[Symbol.iterator];
export const setValues = Set.prototype[Symbol.iterator];
export const stringCharacters: unknown = String.prototype[Symbol.iterator];
export const mapSize = getterOf(Map.prototype, 'size') as () => number;
export const setSize = getterOf(Set.prototype, 'size') as () => number;
export const typedArrayTag = getterOf(typedArrayPrototype, Symbol.toStringTag) as () => string | undefined;
export const typedArrayLength = getterOf(typedArrayPrototype, 'length') as () => number;

/** Defines a property with the attributes of the language's own methods. */
export function defineMethod(holder: object, key: PropertyKey, value: unknown): void {
  defineProperty(holder, key, { value, writable: true, enumerable: false, configurable: true });
}

/** Defines the `prototype` of a constructor with the attributes of a class. */
export function definePrototype(constructor: object, value: object): void {
  defineProperty(constructor, 'prototype', { value, writable: false, enumerable: false, configurable: false });
}

/** Makes a `new.target` with which a constructor makes objects of this prototype. */
export function newTargetWithPrototype(prototype: object): new () => object {
  const target = function (): void {};
  target.prototype = prototype;
  return target as unknown as new () => object;
}

/** Copy of an array, made without the array iterator, which the program may have replaced. */
export function copyOf<T>(list: readonly T[]): T[] {
  const copy: T[] = [];
  for (let i = 0; i < list.length; i++) copy[i] = list[i] as T;
  return copy;
}

export function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
