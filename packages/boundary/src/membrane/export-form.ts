// The forms in which program objects cross to the host: functions and instances of classes as proxies, plain data as
// copies, and objects with internal slots as they are.
import { types } from 'node:util';
import { Eventual } from '@turntable/core';

const { getOwnPropertyDescriptor, getPrototypeOf } = Reflect;
const { keys: ownNames, getOwnPropertySymbols: ownSymbols } = Object;
const { isProxy } = types;

/** `raw`: the object itself. `bare`: the same, without a number, since the host does not keep it. */
export type ExportForm = 'function' | 'object' | 'plain' | 'array' | 'raw' | 'bare';

const ITERATOR_PROTOTYPE = getPrototypeOf(getPrototypeOf([][Symbol.iterator]()) as object) as object;

/** Prototypes whose methods accept any receiver. */
export const GENERIC_PROTOTYPES: readonly object[] = [
  Object.prototype,
  Function.prototype,
  Array.prototype,
  Error.prototype,
  ITERATOR_PROTOTYPE,
];

/** Prototypes from which an object inherits no internal slots. */
const TRANSPARENT_PROTOTYPES: ReadonlySet<object | null> = new Set<object | null>([
  ...GENERIC_PROTOTYPES.filter((prototype) => prototype !== Array.prototype && prototype !== Error.prototype),
  getPrototypeOf(getPrototypeOf(async function* () {}.prototype as object) as object),
]);

/** @param isTransparent whether the instances of a builtin prototype have no internal slots */
export function exportFormOf(
  value: object,
  isNeutral: (prototype: object) => boolean,
  isTransparent: (prototype: object) => boolean,
): ExportForm {
  if (typeof value === 'function') return 'function';
  if (isProxy(value)) return 'object';
  if (Array.isArray(value)) return 'array';
  const prototype = getPrototypeOf(value);
  // The prototype of a class without `extends` differs from plain data by its own property `constructor`.
  if (prototype === Object.prototype) return isClassPrototype(value) ? 'object' : 'plain';
  if (Eventual.is(value)) return 'object';
  if (hasInternalSlots(value)) return 'raw';
  if (prototype === null) return 'plain';
  for (let holder: object | null = prototype; holder !== null && !isProxy(holder); holder = getPrototypeOf(holder))
    if (!TRANSPARENT_PROTOTYPES.has(holder) && isNeutral(holder) && !isTransparent(holder)) return 'raw';
  return 'object';
}

/** Whether the object is the `prototype` of its `constructor`, so that instances depend on its identity. */
function isClassPrototype(value: object): boolean {
  if (!Object.hasOwn(value, 'constructor')) return false;
  const owner: unknown = Reflect.getOwnPropertyDescriptor(value, 'constructor')?.value;
  return (
    typeof owner === 'function' &&
    !isProxy(owner) &&
    Reflect.getOwnPropertyDescriptor(owner, 'prototype')?.value === value
  );
}

function hasInternalSlots(value: object): boolean {
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

/** Returns the keys that a copy of plain data has. */
export function enumerableKeys(value: object): readonly PropertyKey[] {
  const keys = ownNames(value);
  const symbols = ownSymbols(value);
  if (symbols.length === 0) return keys;
  return [...keys, ...symbols.filter((key) => getOwnPropertyDescriptor(value, key)?.enumerable === true)];
}
