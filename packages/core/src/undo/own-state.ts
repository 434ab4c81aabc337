// What an undo log keeps of objects of the language before they change, and how it gives it back. Each kind of entry is three things: the
// object, and two that say what it was like. Nothing here runs code of the program: getters and traps are never called.

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
/** Elements from `first` on, up to the end. */
export const TAIL = 14;
/** `first` is an `Access` to what `second` is, or was. */
export const OTHER = 13;

/** State that is read and set as one. */
export interface Access<O extends object = never, S = never> {
  read(target: O): S;
  write(target: O, state: S): void;
  /** Of a private member, with `#`. */
  readonly name?: string;
}

/** What part of an object an entry is about, where it is about one that has a name. */
export function nameOf(kind: number, first: unknown): string | undefined {
  return kind === OTHER ? (first as Access).name : undefined;
}

/** Bytes are noted by pages of so many. */
export const PAGE = 4096;

/** In the place of what was not there. */
export const ABSENT: object = Object.freeze({ absent: true });

/** Thrown where an object cannot be given back what it was like. */
export const IRREVERSIBLE: object = Object.freeze({ irreversible: true });

type Fields = Record<PropertyKey, unknown>;

const { deleteProperty, isExtensible, set: setOwn } = Reflect;
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
const weakSet = receiverFirst(WeakMap.prototype.set);
const weakGet = receiverFirst(WeakMap.prototype.get);
const weakHas = receiverFirst(WeakMap.prototype.has);
const weakIncludes = receiverFirst(WeakSet.prototype.has);
const weakDelete = receiverFirst(WeakMap.prototype.delete);
const weakAdd = receiverFirst(WeakSet.prototype.add);
const weakRemove = receiverFirst(WeakSet.prototype.delete);
const getTime = receiverFirst(Date.prototype.getTime);
const setTime = receiverFirst(Date.prototype.setTime);
const bytesOf = receiverFirst(Uint8Array.prototype.slice) as (bytes: Uint8Array) => Uint8Array;
const setBytes = receiverFirst(Uint8Array.prototype.set) as (bytes: Uint8Array, from: Uint8Array) => void;

/** The elements of an array that has no accessors among them, holes included. @param first of them */
export function elementsOf(list: unknown[], first = 0): unknown[] {
  // A slice of a list of another class is made by its constructor, which is the program's.
  if (getPrototypeOf(list) === arrayPrototype && !hasOwn(list, 'constructor')) return arraySlice(list, first);
  const elements: unknown[] = [];
  const { length } = list;
  for (let i = first; i < length; i++) if (hasOwn(list, i)) elements[i - first] = list[i];
  elements.length = length > first ? length - first : 0;
  return elements;
}

/** Keys, then what stands under them, in their order. */
export function propertiesOf(object: object): unknown[] {
  const keys = keysOf(object);
  const properties: unknown[] = [];
  for (let i = 0; i < keys.length; i++) {
    properties[2 * i] = keys[i];
    properties[2 * i + 1] = getOwnPropertyDescriptor(object, keys[i] as PropertyKey);
  }
  return properties;
}

/** Of an array without its elements, which are noted apart. */
function keysOf(object: object): PropertyKey[] {
  const keys = ownKeys(object);
  if (!isArray(object)) return keys;
  const others: PropertyKey[] = [];
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as PropertyKey;
    const isElement = key === 'length' || (typeof key === 'string' && String((key as unknown as number) >>> 0) === key);
    if (!isElement) others[others.length] = key;
  }
  return others;
}

export function entriesOf(map: Map<unknown, unknown>): unknown[] {
  const entries: unknown[] = [];
  mapForEach(map, (value, key) => {
    entries[entries.length] = key;
    entries[entries.length] = value;
  });
  return entries;
}

export function membersOf(set: Set<unknown>): unknown[] {
  const members: unknown[] = [];
  setForEach(set, (member) => {
    members[members.length] = member;
  });
  return members;
}

export function timeOf(date: Date): number {
  return getTime(date);
}

export function undo(kind: number, target: object, first: unknown, second: unknown): void {
  switch (kind) {
    case PROPERTY:
      return undoProperty(target as Fields, first as PropertyKey, second);
    case ELEMENT:
      undoProperty(target as Fields, first as PropertyKey, ABSENT);
      if ((target as unknown[]).length !== second) (target as unknown[]).length = second as number;
      return;
    case LENGTH:
      if ((target as unknown[]).length !== first) (target as unknown[]).length = first as number;
      return;
    case TAIL: {
      const tail = second as unknown[];
      for (let i = 0; i < tail.length; i++) if (i in tail) (target as unknown[])[(first as number) + i] = tail[i];
      if ((target as unknown[]).length !== (first as number) + tail.length)
        (target as unknown[]).length = (first as number) + tail.length;
      return;
    }
    case ELEMENTS:
      return undoElements(target as unknown[], first as unknown[]);
    case OBJECT:
      return undoObject(target, first as unknown[], second as object | null);
    case MAP_VALUE:
      if (second === ABSENT) mapDelete(target as Map<unknown, unknown>, first);
      else mapSet(target as Map<unknown, unknown>, first, second);
      return;
    case MAP_ENTRIES:
      return undoEntries(target as Map<unknown, unknown>, first as unknown[]);
    case SET_MEMBER:
      if (second === ABSENT) setDelete(target as Set<unknown>, first);
      else setAdd(target as Set<unknown>, first);
      return;
    case SET_MEMBERS:
      return undoMembers(target as Set<unknown>, first as unknown[]);
    case WEAK_VALUE:
      if (second === ABSENT) weakDelete(target as WeakMap<WeakKey, unknown>, first as WeakKey);
      else weakSet(target as WeakMap<WeakKey, unknown>, first as WeakKey, second);
      return;
    case WEAK_MEMBER:
      if (second === ABSENT) weakRemove(target as WeakSet<WeakKey>, first as WeakKey);
      else weakAdd(target as WeakSet<WeakKey>, first as WeakKey);
      return;
    case BYTES: {
      const bytes = second as Uint8Array;
      setBytes(new NativeUint8Array(target as ArrayBuffer, first as number, bytes.length), bytes);
      return;
    }
    case DATE:
      setTime(target as Date, first as number);
      return;
    default:
      (first as Access<object, unknown>).write(target, second);
  }
}

function undoProperty(target: Fields, key: PropertyKey, value: unknown): void {
  if (value === ABSENT) {
    if (hasOwn(target, key) && !deleteProperty(target, key)) throw IRREVERSIBLE;
    return;
  }
  // Not an assignment: somebody may have a setter for it by now, or a cell have no value.
  const isDone = hasOwn(target, key)
    ? setOwn(target, key, value, target)
    : defineProperty(target, key, { value, writable: true, enumerable: true, configurable: true });
  if (!isDone) throw IRREVERSIBLE;
}

function undoElements(list: unknown[], elements: unknown[]): void {
  if (list.length !== elements.length) list.length = elements.length;
  for (let i = 0; i < elements.length; i++) {
    if (i in elements) list[i] = elements[i];
    else if (hasOwn(list, i)) deleteProperty(list, i);
  }
}

/** Properties come back in their order: from the first that is another, all are made again. */
function undoObject(target: object, properties: unknown[], prototype: object | null): void {
  // What could not be extended before is not noted as a whole.
  if (!isExtensible(target)) throw IRREVERSIBLE;
  if (getPrototypeOf(target) !== prototype) setPrototypeOf(target, prototype);
  const keys = keysOf(target);
  let same = 0;
  while (same < keys.length && keys[same] === properties[2 * same]) same++;
  for (let i = keys.length - 1; i >= same; i--) if (!deleteProperty(target, keys[i] as PropertyKey)) throw IRREVERSIBLE;
  for (let i = 0; i < properties.length; i += 2) {
    const key = properties[i] as PropertyKey;
    const was = properties[i + 1] as PropertyDescriptor;
    if (i < 2 * same && isAs(getOwnPropertyDescriptor(target, key) as PropertyDescriptor, was)) continue;
    if (!defineProperty(target, key, was)) throw IRREVERSIBLE;
  }
}

function isAs(is: PropertyDescriptor, was: PropertyDescriptor): boolean {
  return (
    Object.is(is.value, was.value) &&
    is.get === was.get &&
    is.set === was.set &&
    is.writable === was.writable &&
    is.enumerable === was.enumerable &&
    is.configurable === was.configurable
  );
}

/** What has been added goes, values are set; only where an entry had gone, or changed places, all are made again. */
function undoEntries(map: Map<unknown, unknown>, entries: unknown[]): void {
  const now = entriesOf(map);
  let same = 0;
  while (same < entries.length && same < now.length && Object.is(now[same], entries[same])) same += 2;
  if (same === entries.length) {
    for (let i = now.length - 2; i >= same; i -= 2) mapDelete(map, now[i]);
    for (let i = 0; i < same; i += 2)
      if (!Object.is(now[i + 1], entries[i + 1])) mapSet(map, entries[i], entries[i + 1]);
    return;
  }
  if (isIterated(map)) throw IRREVERSIBLE;
  mapClear(map);
  for (let i = 0; i < entries.length; i += 2) mapSet(map, entries[i], entries[i + 1]);
}

function undoMembers(set: Set<unknown>, members: unknown[]): void {
  const now = membersOf(set);
  let same = 0;
  while (same < members.length && same < now.length && Object.is(now[same], members[same])) same++;
  if (same === members.length) {
    for (let i = now.length - 1; i >= same; i--) setDelete(set, now[i]);
    return;
  }
  if (isIterated(set)) throw IRREVERSIBLE;
  setClear(set);
  for (let i = 0; i < members.length; i++) setAdd(set, members[i]);
}

/** Whether an object may have to stay what it is. */
export function isFixed(kind: number, target: object, first: unknown): boolean {
  switch (kind) {
    case PROPERTY:
      return !isExtensible(target) && getOwnPropertyDescriptor(target, first as PropertyKey)?.writable !== true;
    case ELEMENT:
    case LENGTH:
    case ELEMENTS:
    case TAIL:
    case OBJECT:
      return !isExtensible(target);
    case MAP_ENTRIES:
    case SET_MEMBERS:
      return isIterated(target);
    default:
      return false;
  }
}

export type Add = (kind: number, target: object, first: unknown, second: unknown) => void;

/** What gives back what is there now, as an entry of any kind is about to be undone; `add` takes it as it is. */
export function inverse(kind: number, target: object, first: unknown, add: Add): void {
  switch (kind) {
    case PROPERTY: {
      const is = getOwnPropertyDescriptor(target, first as PropertyKey);
      const isEnd = isArray(target) && is === undefined && Number(first) >= target.length;
      if (isEnd) add(ELEMENT, target, first, target.length);
      else if (is === undefined) add(PROPERTY, target, first, ABSENT);
      else if (is.writable === true && is.enumerable === true && is.configurable === true)
        add(PROPERTY, target, first, is.value);
      else add(OBJECT, target, propertiesOf(target), getPrototypeOf(target));
      return;
    }
    case ELEMENT: {
      const list = target as unknown[];
      if (list.length > Number(first) + 1) add(LENGTH, list, list.length, undefined);
      if (hasOwn(list, first as PropertyKey)) add(PROPERTY, list, first, list[first as number]);
      return;
    }
    case LENGTH:
      add(TAIL, target, first, elementsOf(target as unknown[], first as number));
      return;
    case TAIL:
      add(LENGTH, target, (target as unknown[]).length, undefined);
      return;
    case ELEMENTS:
      add(ELEMENTS, target, elementsOf(target as unknown[]), undefined);
      return;
    case OBJECT:
      add(OBJECT, target, propertiesOf(target), getPrototypeOf(target));
      return;
    case MAP_VALUE: {
      const map = target as Map<unknown, unknown>;
      add(MAP_VALUE, map, first, mapHas(map, first) ? mapGet(map, first) : ABSENT);
      return;
    }
    case MAP_ENTRIES:
      add(MAP_ENTRIES, target, entriesOf(target as Map<unknown, unknown>), undefined);
      return;
    case SET_MEMBER:
      add(SET_MEMBER, target, first, setHas(target as Set<unknown>, first) ? first : ABSENT);
      return;
    case SET_MEMBERS:
      add(SET_MEMBERS, target, membersOf(target as Set<unknown>), undefined);
      return;
    case WEAK_VALUE: {
      const map = target as WeakMap<WeakKey, unknown>;
      const key = first as WeakKey;
      add(WEAK_VALUE, map, key, weakHas(map, key) ? weakGet(map, key) : ABSENT);
      return;
    }
    case WEAK_MEMBER:
      add(WEAK_MEMBER, target, first, weakIncludes(target as WeakSet<WeakKey>, first as WeakKey) ? first : ABSENT);
      return;
    case BYTES: {
      const buffer = target as ArrayBuffer;
      const from = first as number;
      const bytes = new NativeUint8Array(buffer, from, Math.min(PAGE, buffer.byteLength - from));
      add(BYTES, buffer, from, bytesOf(bytes));
      return;
    }
    case DATE:
      add(DATE, target, timeOf(target as Date), undefined);
      return;
    default:
      add(OTHER, target, first, (first as Access<object, unknown>).read(target));
  }
}
