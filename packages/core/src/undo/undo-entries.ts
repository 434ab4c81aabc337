// The entries of an undo log: how each kind records the old value of a part of an object, and how it restores it. An
// entry has a kind, an object (`target`), and two values (`detail`, `value`) whose meaning depends on the kind. Nothing
// here may run code of the program: getters and proxy handlers are never called.

import {
  defineProperty,
  getOwnPropertyDescriptor,
  getPrototypeOf,
  hasOwn,
  isArray,
  ownKeys,
  receiverFirst,
  setPrototypeOf,
} from '../intrinsics.ts';
import { isIterated } from './journal.ts';

export const PROPERTY = 0;
export const ELEMENT = 1;
export const LENGTH = 2;
export const ELEMENTS = 3;
export const OBJECT = 4;
export const MAP_VALUE = 5;
export const MAP_ENTRIES = 6;
export const SET_MEMBER = 7;
export const SET_MEMBERS = 8;
export const WEAK_VALUE = 9;
export const WEAK_MEMBER = 10;
export const BYTES = 11;
export const DATE = 12;
/** Elements from index `detail` to the end. */
export const ARRAY_TAIL = 14;
/** State that is read and written as a whole: `detail` is a `StateAccess`, `value` the old state. */
export const CUSTOM = 13;

/** Reads and writes a state that is noted and restored as a whole. */
export interface StateAccess<O extends object = never, S = never> {
  read(target: O): S;
  write(target: O, state: S): void;
  /** Name of the private member with its `#`, if the state is a private member. */
  readonly name?: string;
}

/** Name of the private member that an entry notes; undefined for other entries. */
export function partName(kind: number, detail: unknown): string | undefined {
  return kind === CUSTOM ? (detail as StateAccess).name : undefined;
}

/** Size of the pages in which buffers are noted. */
export const PAGE_BYTES = 4096;

/** Old value of a part that did not exist. Undo removes the part. */
export const ABSENT: object = Object.freeze({ absent: true });

/** Value thrown by `undoEntry` if a part cannot be restored. */
export const IRREVERSIBLE: object = Object.freeze({ irreversible: true });

type Fields = Record<PropertyKey, unknown>;

const { deleteProperty, isExtensible, set: setProperty } = Reflect;
const NativeUint8Array = Uint8Array;
const arrayPrototype = Array.prototype;
const arraySlice = receiverFirst(Array.prototype.slice) as (list: unknown[], from?: number) => unknown[];
export const mapGet = receiverFirst(Map.prototype.get);
export const mapHas = receiverFirst(Map.prototype.has);
const mapSet = receiverFirst(Map.prototype.set);
const mapDelete = receiverFirst(Map.prototype.delete);
const mapClear = receiverFirst(Map.prototype.clear);
const mapForEach = receiverFirst(Map.prototype.forEach);
export const setHas = receiverFirst(Set.prototype.has);
const setAdd = receiverFirst(Set.prototype.add);
const setDelete = receiverFirst(Set.prototype.delete);
const setClear = receiverFirst(Set.prototype.clear);
const setForEach = receiverFirst(Set.prototype.forEach);
const weakMapSet = receiverFirst(WeakMap.prototype.set);
const weakMapGet = receiverFirst(WeakMap.prototype.get);
const weakMapHas = receiverFirst(WeakMap.prototype.has);
const weakSetHas = receiverFirst(WeakSet.prototype.has);
const weakMapDelete = receiverFirst(WeakMap.prototype.delete);
const weakSetAdd = receiverFirst(WeakSet.prototype.add);
const weakSetDelete = receiverFirst(WeakSet.prototype.delete);
const getTime = receiverFirst(Date.prototype.getTime);
const setTime = receiverFirst(Date.prototype.setTime);
const copyBytes = receiverFirst(Uint8Array.prototype.slice) as (bytes: Uint8Array) => Uint8Array;
const setBytes = receiverFirst(Uint8Array.prototype.set) as (bytes: Uint8Array, from: Uint8Array) => void;

/** Copies the elements of an array from index `first` on, holes included. None of them may be an accessor. */
export function copyElements(list: unknown[], first = 0): unknown[] {
  // `slice` on an array of a subclass would call the program's constructor.
  if (getPrototypeOf(list) === arrayPrototype && !hasOwn(list, 'constructor')) return arraySlice(list, first);
  const elements: unknown[] = [];
  const { length } = list;
  for (let i = first; i < length; i++) if (hasOwn(list, i)) elements[i - first] = list[i];
  elements.length = length > first ? length - first : 0;
  return elements;
}

/** Own properties in their order, as alternating keys and descriptors. */
export function copyProperties(object: object): unknown[] {
  const keys = keysOf(object);
  const properties: unknown[] = [];
  for (let i = 0; i < keys.length; i++) {
    properties[2 * i] = keys[i];
    properties[2 * i + 1] = getOwnPropertyDescriptor(object, keys[i] as PropertyKey);
  }
  return properties;
}

/** Own keys of an object. Of an array, the elements and `length` are left out, because they are noted separately. */
function keysOf(object: object): PropertyKey[] {
  const keys = ownKeys(object);
  if (!isArray(object)) return keys;
  const otherKeys: PropertyKey[] = [];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as PropertyKey;
    const isElement = key === 'length' || (typeof key === 'string' && String((key as unknown as number) >>> 0) === key);
    if (!isElement) otherKeys[otherKeys.length] = key;
  }
  return otherKeys;
}

export function copyEntries(map: Map<unknown, unknown>): unknown[] {
  const entries: unknown[] = [];
  mapForEach(map, (value, key) => {
    entries[entries.length] = key;
    entries[entries.length] = value;
  });
  return entries;
}

export function copyMembers(set: Set<unknown>): unknown[] {
  const members: unknown[] = [];
  setForEach(set, (member) => {
    members[members.length] = member;
  });
  return members;
}

export function timeOf(date: Date): number {
  return getTime(date);
}

export function undoEntry(kind: number, target: object, detail: unknown, value: unknown): void {
  switch (kind) {
    case PROPERTY:
      return undoProperty(target as Fields, detail as PropertyKey, value);
    case ELEMENT:
      undoProperty(target as Fields, detail as PropertyKey, ABSENT);
      if ((target as unknown[]).length !== value) (target as unknown[]).length = value as number;
      return;
    case LENGTH:
      if ((target as unknown[]).length !== detail) (target as unknown[]).length = detail as number;
      return;
    case ARRAY_TAIL: {
      const tail = value as unknown[];
      for (let i = 0; i < tail.length; i++) if (i in tail) (target as unknown[])[(detail as number) + i] = tail[i];
      if ((target as unknown[]).length !== (detail as number) + tail.length)
        (target as unknown[]).length = (detail as number) + tail.length;
      return;
    }
    case ELEMENTS:
      return undoElements(target as unknown[], detail as unknown[]);
    case OBJECT:
      return undoObject(target, detail as unknown[], value as object | null);
    case MAP_VALUE:
      if (value === ABSENT) mapDelete(target as Map<unknown, unknown>, detail);
      else mapSet(target as Map<unknown, unknown>, detail, value);
      return;
    case MAP_ENTRIES:
      return undoEntries(target as Map<unknown, unknown>, detail as unknown[]);
    case SET_MEMBER:
      if (value === ABSENT) setDelete(target as Set<unknown>, detail);
      else setAdd(target as Set<unknown>, detail);
      return;
    case SET_MEMBERS:
      return undoMembers(target as Set<unknown>, detail as unknown[]);
    case WEAK_VALUE:
      if (value === ABSENT) weakMapDelete(target as WeakMap<WeakKey, unknown>, detail as WeakKey);
      else weakMapSet(target as WeakMap<WeakKey, unknown>, detail as WeakKey, value);
      return;
    case WEAK_MEMBER:
      if (value === ABSENT) weakSetDelete(target as WeakSet<WeakKey>, detail as WeakKey);
      else weakSetAdd(target as WeakSet<WeakKey>, detail as WeakKey);
      return;
    case BYTES: {
      const bytes = value as Uint8Array;
      setBytes(new NativeUint8Array(target as ArrayBuffer, detail as number, bytes.length), bytes);
      return;
    }
    case DATE:
      setTime(target as Date, detail as number);
      return;
    default:
      (detail as StateAccess<object, unknown>).write(target, value);
  }
}

function undoProperty(target: Fields, key: PropertyKey, value: unknown): void {
  if (value === ABSENT) {
    if (hasOwn(target, key) && !deleteProperty(target, key)) throw IRREVERSIBLE;
    return;
  }
  // A plain assignment could call a setter that exists by now, and throws for an uninitialised cell.
  const isRestored = hasOwn(target, key)
    ? setProperty(target, key, value, target)
    : defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  if (!isRestored) throw IRREVERSIBLE;
}

function undoElements(list: unknown[], elements: unknown[]): void {
  if (list.length !== elements.length) list.length = elements.length;
  for (let i = 0; i < elements.length; i++) {
    if (i in elements) list[i] = elements[i];
    else if (hasOwn(list, i)) deleteProperty(list, i);
  }
}

/** Restores properties and their order: from the first key that differs on, all are deleted and redefined. */
function undoObject(target: object, properties: unknown[], prototype: object | null): void {
  // Objects that were already non-extensible have no `OBJECT` entry, so the task has made this one non-extensible.
  if (!isExtensible(target)) throw IRREVERSIBLE;
  if (getPrototypeOf(target) !== prototype) setPrototypeOf(target, prototype);
  const keys = keysOf(target);
  let samePrefix = 0;
  while (samePrefix < keys.length && keys[samePrefix] === properties[2 * samePrefix]) samePrefix++;
  for (let i = keys.length - 1; i >= samePrefix; i--)
    if (!deleteProperty(target, keys[i] as PropertyKey)) throw IRREVERSIBLE;
  for (let i = 0; i < properties.length; i += 2) {
    const key = properties[i] as PropertyKey;
    const before = properties[i + 1] as PropertyDescriptor;
    if (i < 2 * samePrefix && isSameDescriptor(getOwnPropertyDescriptor(target, key) as PropertyDescriptor, before))
      continue;
    if (!defineProperty(target, key, before)) throw IRREVERSIBLE;
  }
}

function isSameDescriptor(current: PropertyDescriptor, before: PropertyDescriptor): boolean {
  return (
    Object.is(current.value, before.value) &&
    current.get === before.get &&
    current.set === before.set &&
    current.writable === before.writable &&
    current.enumerable === before.enumerable &&
    current.configurable === before.configurable
  );
}

/** Restores a Map. If an entry was deleted or moved, the Map must be cleared and refilled. */
function undoEntries(map: Map<unknown, unknown>, entries: unknown[]): void {
  const currentEntries = copyEntries(map);
  let samePrefix = 0;
  while (
    samePrefix < entries.length &&
    samePrefix < currentEntries.length &&
    Object.is(currentEntries[samePrefix], entries[samePrefix])
  )
    samePrefix += 2;
  if (samePrefix === entries.length) {
    for (let i = currentEntries.length - 2; i >= samePrefix; i -= 2) mapDelete(map, currentEntries[i]);
    for (let i = 0; i < samePrefix; i += 2)
      if (!Object.is(currentEntries[i + 1], entries[i + 1])) mapSet(map, entries[i], entries[i + 1]);
    return;
  }
  if (isIterated(map)) throw IRREVERSIBLE;
  mapClear(map);
  for (let i = 0; i < entries.length; i += 2) mapSet(map, entries[i], entries[i + 1]);
}

function undoMembers(set: Set<unknown>, members: unknown[]): void {
  const currentMembers = copyMembers(set);
  let samePrefix = 0;
  while (
    samePrefix < members.length &&
    samePrefix < currentMembers.length &&
    Object.is(currentMembers[samePrefix], members[samePrefix])
  )
    samePrefix++;
  if (samePrefix === members.length) {
    for (let i = currentMembers.length - 1; i >= samePrefix; i--) setDelete(set, currentMembers[i]);
    return;
  }
  if (isIterated(set)) throw IRREVERSIBLE;
  setClear(set);
  for (let i = 0; i < members.length; i++) setAdd(set, members[i]);
}

/** Whether restoring an entry may fail, because the object was frozen or has a kept iterator. */
export function mayBeIrreversible(kind: number, target: object, detail: unknown): boolean {
  switch (kind) {
    case PROPERTY:
      return !isExtensible(target) && getOwnPropertyDescriptor(target, detail as PropertyKey)?.writable !== true;
    case ELEMENT:
    case LENGTH:
    case ELEMENTS:
    case ARRAY_TAIL:
    case OBJECT:
      return !isExtensible(target);
    case MAP_ENTRIES:
    case SET_MEMBERS:
      return isIterated(target);
    default:
      return false;
  }
}

export type AddEntry = (kind: number, target: object, detail: unknown, value: unknown) => void;

/** Adds entries that restore the current value of a part. Must be called before the entry of that part is undone. */
export function addInverse(kind: number, target: object, detail: unknown, addEntry: AddEntry): void {
  switch (kind) {
    case PROPERTY: {
      const current = getOwnPropertyDescriptor(target, detail as PropertyKey);
      const isEnd = isArray(target) && current === undefined && Number(detail) >= target.length;
      if (isEnd) addEntry(ELEMENT, target, detail, target.length);
      else if (current === undefined) addEntry(PROPERTY, target, detail, ABSENT);
      else if (current.writable === true && current.enumerable === true && current.configurable === true)
        addEntry(PROPERTY, target, detail, current.value);
      else addEntry(OBJECT, target, copyProperties(target), getPrototypeOf(target));
      return;
    }
    case ELEMENT: {
      const list = target as unknown[];
      if (list.length > Number(detail) + 1) addEntry(LENGTH, list, list.length, undefined);
      if (hasOwn(list, detail as PropertyKey)) addEntry(PROPERTY, list, detail, list[detail as number]);
      return;
    }
    case LENGTH:
      addEntry(ARRAY_TAIL, target, detail, copyElements(target as unknown[], detail as number));
      return;
    case ARRAY_TAIL:
      addEntry(LENGTH, target, (target as unknown[]).length, undefined);
      return;
    case ELEMENTS:
      addEntry(ELEMENTS, target, copyElements(target as unknown[]), undefined);
      return;
    case OBJECT:
      addEntry(OBJECT, target, copyProperties(target), getPrototypeOf(target));
      return;
    case MAP_VALUE: {
      const map = target as Map<unknown, unknown>;
      addEntry(MAP_VALUE, map, detail, mapHas(map, detail) ? mapGet(map, detail) : ABSENT);
      return;
    }
    case MAP_ENTRIES:
      addEntry(MAP_ENTRIES, target, copyEntries(target as Map<unknown, unknown>), undefined);
      return;
    case SET_MEMBER:
      addEntry(SET_MEMBER, target, detail, setHas(target as Set<unknown>, detail) ? detail : ABSENT);
      return;
    case SET_MEMBERS:
      addEntry(SET_MEMBERS, target, copyMembers(target as Set<unknown>), undefined);
      return;
    case WEAK_VALUE: {
      const map = target as WeakMap<WeakKey, unknown>;
      const key = detail as WeakKey;
      addEntry(WEAK_VALUE, map, key, weakMapHas(map, key) ? weakMapGet(map, key) : ABSENT);
      return;
    }
    case WEAK_MEMBER: {
      const isMember = weakSetHas(target as WeakSet<WeakKey>, detail as WeakKey);
      addEntry(WEAK_MEMBER, target, detail, isMember ? detail : ABSENT);
      return;
    }
    case BYTES: {
      const buffer = target as ArrayBuffer;
      const from = detail as number;
      const bytes = new NativeUint8Array(buffer, from, Math.min(PAGE_BYTES, buffer.byteLength - from));
      addEntry(BYTES, buffer, from, copyBytes(bytes));
      return;
    }
    case DATE:
      addEntry(DATE, target, timeOf(target as Date), undefined);
      return;
    default:
      addEntry(CUSTOM, target, detail, (detail as StateAccess<object, unknown>).read(target));
  }
}
