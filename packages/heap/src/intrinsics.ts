// Intrinsics taken at load, so that a capture calls nothing that the program has patched. The collections are core's,
// whose methods are the originals.

export { SafeMap, SafeSet, SafeWeakMap } from '@turntable/core';

export const {
  apply,
  defineProperty,
  getPrototypeOf,
  ownKeys,
  setPrototypeOf,
  preventExtensions,
  construct,
  deleteProperty,
} = Reflect;
export const { create, is, hasOwn, isExtensible } = Object;
// Five times as fast as the function of `Reflect`, which calls into V8's runtime.
export const descriptorOf = Object.getOwnPropertyDescriptor;
export const namesOf = Object.getOwnPropertyNames;
export const symbolsOf = Object.getOwnPropertySymbols;
export const enumerableKeys = Object.keys;
export const prototypeOf = Object.getPrototypeOf as (object: object) => object | null;
export const { isArray } = Array;

export const objectPrototype = Object.prototype;
export const arrayPrototype = Array.prototype;
export const functionPrototype = Function.prototype;

type Method<T, A extends unknown[], R> = (this: T, ...args: A) => R;

/** Converts a method to a function of its receiver, which V8 inlines like a method call. */
export function receiverFirst<T, A extends unknown[], R>(method: Method<T, A, R>): (receiver: T, ...args: A) => R {
  return Function.prototype.call.bind(method) as never;
}

export function getterOf<T>(prototype: object, key: PropertyKey): (receiver: object) => T {
  return receiverFirst(descriptorOf(prototype, key)?.get as () => T) as unknown as (receiver: object) => T;
}

export const charCodeAt = receiverFirst(String.prototype.charCodeAt);
export const { fromCharCode } = String;
export const sourceText = receiverFirst(Function.prototype.toString);
export const sliceArray = receiverFirst(Array.prototype.slice) as <T>(list: T[], from?: number, to?: number) => T[];
export const forEach = receiverFirst(Array.prototype.forEach) as <T>(
  list: readonly T[],
  visit: (element: T) => void,
) => void;
export const join = receiverFirst(Array.prototype.join) as (list: readonly unknown[], separator: string) => string;

export const mapSize = getterOf<number>(Map.prototype, 'size');
export const setSize = getterOf<number>(Set.prototype, 'size');
export const mapEntries = receiverFirst(Map.prototype.entries);
export const setValues = receiverFirst(Set.prototype.values);
export const mapForEach = receiverFirst(Map.prototype.forEach);
export const setForEach = receiverFirst(Set.prototype.forEach);
export const mapGet = receiverFirst(Map.prototype.get) as (map: Map<string, unknown>, key: string) => unknown;
export const mapSet = receiverFirst(Map.prototype.set);
export const setAdd = receiverFirst(Set.prototype.add);
export const setClear = receiverFirst(Set.prototype.clear);
export const setDelete = receiverFirst(Set.prototype.delete);
export const mapIteratorNext = receiverFirst(
  (prototypeOf(new Map().entries()) as { next(): IteratorResult<[unknown, unknown]> }).next,
) as unknown as (iterator: object) => IteratorResult<[unknown, unknown]>;
export const setIteratorNext = receiverFirst(
  (prototypeOf(new Set().values()) as { next(): IteratorResult<unknown> }).next,
) as unknown as (iterator: object) => IteratorResult<unknown>;
export const weakMapHas = receiverFirst(WeakMap.prototype.has);
export const weakMapGet = receiverFirst(WeakMap.prototype.get);
export const weakMapSet = receiverFirst(WeakMap.prototype.set);
export const weakMapDelete = receiverFirst(WeakMap.prototype.delete);
export const weakSetHas = receiverFirst(WeakSet.prototype.has);
export const weakSetAdd = receiverFirst(WeakSet.prototype.add);
export const weakRefTarget = receiverFirst(WeakRef.prototype.deref);
export const timeOf = receiverFirst(Date.prototype.getTime);

const typedArrayPrototype = prototypeOf(Uint8Array.prototype) as object;
export const typedArrayTag = getterOf<string | undefined>(typedArrayPrototype, Symbol.toStringTag);
export const typedArrayBuffer = getterOf<ArrayBufferLike>(typedArrayPrototype, 'buffer');
export const typedArrayOffset = getterOf<number>(typedArrayPrototype, 'byteOffset');
export const typedArrayLength = getterOf<number>(typedArrayPrototype, 'length');
export const copyInto = receiverFirst(Uint8Array.prototype.set) as (
  target: Uint8Array,
  source: Uint8Array,
  offset: number,
) => void;
export const setDouble = receiverFirst(DataView.prototype.setFloat64);
export const getDouble = receiverFirst(DataView.prototype.getFloat64);
export const dataViewBuffer = getterOf<ArrayBufferLike>(DataView.prototype, 'buffer');
export const dataViewOffset = getterOf<number>(DataView.prototype, 'byteOffset');
export const dataViewLength = getterOf<number>(DataView.prototype, 'byteLength');
export const bufferLength = getterOf<number>(ArrayBuffer.prototype, 'byteLength');
export const bufferMaxByteLength = getterOf<number>(ArrayBuffer.prototype, 'maxByteLength');
export const bufferResizable = getterOf<boolean>(ArrayBuffer.prototype, 'resizable');
export const transfer = receiverFirst(ArrayBuffer.prototype.transfer);
export const bufferDetached = getterOf<boolean>(ArrayBuffer.prototype, 'detached');

/** Returns whether a method accepts a value, which depends on the value's hidden state. */
export function passesBrandCheck(method: (value: never) => unknown, value: unknown): boolean {
  try {
    method(value as never);
    return true;
  } catch {
    return false;
  }
}

/** Returns a property with the attributes that the engine uses on functions and errors. */
export function hiddenDescriptor(value: unknown): PropertyDescriptor {
  return { value, writable: false, enumerable: false, configurable: true };
}

/** Returns whether an object has no own string keys. */
export function hasNoStringKeys(object: object): boolean {
  return namesOf(object).length === 0;
}
