// What the outside has of the program: functions and instances of classes as Proxies, plain data as copies, and what the engine knows by what is hidden in it
// as it is.
import { types } from 'node:util';
import { Eventual } from '@turntable/core';

const { getPrototypeOf } = Reflect;
const { isProxy } = types;

/** `raw`: the thing itself. */
export type Crossing = 'function' | 'object' | 'plain' | 'array' | 'raw';

const TRANSPARENT: ReadonlySet<object | null> = new Set<object | null>([
  Object.prototype,
  Function.prototype,
  getPrototypeOf(getPrototypeOf([][Symbol.iterator]()) as object),
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
  if (Eventual.has(value)) return 'object';
  if (hasSlots(value)) return 'raw';
  const first = getPrototypeOf(value);
  if (first === null || first === Object.prototype) return 'plain';
  for (let at: object | null = first; at !== null && !isProxy(at); at = getPrototypeOf(at))
    if (!TRANSPARENT.has(at) && isNeutral(at) && !isOpen(at)) return 'raw';
  return 'object';
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
