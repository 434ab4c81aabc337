// What the outside has of the program: functions and instances of classes as Proxies, plain data as copies, and what the engine knows by what is hidden in it
// as it is.
import { types } from 'node:util';
import { Eventual } from '@turntable/core';

const { getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const { keys: namesOf, getOwnPropertySymbols: symbolsOf } = Object;
const { isProxy } = types;

/** `raw`: the thing itself. `bare`: that too, and nobody keeps it. */
export type Crossing = 'function' | 'object' | 'plain' | 'array' | 'raw' | 'bare';

const ITERATOR_PROTOTYPE = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()) as object) as object;

/** Their methods work on whatever they are given. */
export const OPEN_PROTOTYPES: readonly object[] = [
  Object.prototype,
  Function.prototype,
  Array.prototype,
  Error.prototype,
  ITERATOR_PROTOTYPE,
];

/** What inherits from these has nothing by that. */
const TRANSPARENT: ReadonlySet<object | null> = new Set<object | null>([
  ...OPEN_PROTOTYPES.filter((each) => each !== Array.prototype && each !== Error.prototype),
  getPrototypeOf(getPrototypeOf(async function* () {}.prototype as object) as object),
]);

/** How something of the program crosses. `isNeutral`: of prototypes; `isOpen`: what they make is told by its properties alone. */
export function crossingOf(
  value: object,
  isNeutral: (prototype: object) => boolean,
  isOpen: (prototype: object) => boolean,
): Crossing {
  if (typeof value === 'function') return 'function';
  if (isProxy(value)) return 'object';
  if (Array.isArray(value)) return 'array';
  const first = getPrototypeOf(value);
  // Whoever puts that above something else has plain data.
  if (first === Object.prototype) return isPrototype(value) ? 'object' : 'plain';
  if (Eventual.has(value)) return 'object';
  if (hasSlots(value)) return 'raw';
  if (first === null) return 'plain';
  for (let at: object | null = first; at !== null && !isProxy(at); at = getPrototypeOf(at))
    if (!TRANSPARENT.has(at) && isNeutral(at) && !isOpen(at)) return 'raw';
  return 'object';
}

/** Of a class or function: objects below it are told by it. */
function isPrototype(value: object): boolean {
  if (!Object.hasOwn(value, 'constructor')) return false;
  const maker: unknown = Reflect.getOwnPropertyDescriptor(value, 'constructor')?.value;
  return (
    typeof maker === 'function' &&
    !isProxy(maker) &&
    Reflect.getOwnPropertyDescriptor(maker, 'prototype')?.value === value
  );
}

function hasSlots(value: object): boolean {
  return (
    ArrayBuffer.isView(value) ||
    types.isAnyArrayBuffer(value) ||
    types.isNativeError(value) ||
    types.isDate(value) ||
    types.isRegExp(value) ||
    types.isMap(value) ||
    types.isSet(value) ||
    types.isWeakMap(value) ||
    types.isWeakSet(value) ||
    types.isBoxedPrimitive(value) ||
    types.isExternal(value) ||
    types.isModuleNamespaceObject(value)
  );
}

/** What a copy of plain data has. */
export function enumerableKeys(value: object): readonly PropertyKey[] {
  const keys = namesOf(value);
  const symbols = symbolsOf(value);
  if (symbols.length === 0) return keys;
  return [...keys, ...symbols.filter((key) => getOwnPropertyDescriptor(value, key)?.enumerable === true)];
}
