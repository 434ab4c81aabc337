// Own properties with attributes: of unusual objects, of kinds with more than their initial properties, and changed
// properties of known objects.

import { corruptStateError } from './heap-error.ts';
import { defineProperty, deleteProperty, descriptorOf, is, ownKeys, setPrototypeOf } from './intrinsics.ts';
import { defineStack, isStackAccessor, readStackText } from './kinds/errors.ts';
import * as T from './tags.ts';
import type { ObjectKind } from './object-kind.ts';
import type { ObjectParts } from './ports.ts';
import type { HeapReader } from './heap-reader.ts';
import type { HeapWriter } from './heap-writer.ts';

/** A key with its descriptor, which is undefined for a deleted property. */
export type PropertyEntry = readonly [PropertyKey, PropertyDescriptor | undefined];

/** Placeholder for a property that never changes and is not read. */
export const FIXED_PROPERTY: PropertyDescriptor = {};

/** Returns the own properties that are neither in header and contents nor set by the allocation. */
export function extraProperties(
  object: object,
  kind: ObjectKind | undefined,
  initial: ObjectParts['initialProperties'],
): PropertyEntry[] {
  const entries: PropertyEntry[] = [];
  const keys = ownKeys(object);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string | symbol;
    if (typeof key === 'string' ? kind?.isAccountedFor?.(object, key) === true : kind?.isHostKey?.(key) === true)
      continue;
    if (initial?.[key as string] === FIXED_PROPERTY) continue;
    const descriptor = descriptorOf(object, key) as PropertyDescriptor;
    if (initial !== undefined && isSameProperty(initial[key as string], descriptor)) continue;
    entries[entries.length] = [key, descriptor];
  }
  if (initial !== undefined) {
    const names = ownKeys(initial);
    for (let i = 0; i < names.length; i++) {
      const key = names[i] as string;
      if (initial[key] !== FIXED_PROPERTY && descriptorOf(object, key) === undefined)
        entries[entries.length] = [key, undefined];
    }
  }
  const { initialKeys = [] } = kind ?? {};
  for (let i = 0; i < initialKeys.length; i++) {
    const key = initialKeys[i] as string;
    if (descriptorOf(object, key) === undefined) entries[entries.length] = [key, undefined];
  }
  return entries;
}

export function writeProperties(writer: HeapWriter, entries: readonly PropertyEntry[], object: object): void {
  writer.varint(entries.length);
  for (let i = 0; i < entries.length; i++) {
    const [key, descriptor] = entries[i] as PropertyEntry;
    writer.value(key);
    if (descriptor === undefined) {
      writer.byte(T.DELETED);
      continue;
    }
    if (isStackAccessor(descriptor)) {
      writer.byte(T.STACK);
      writer.value(readStackText(object));
      continue;
    }
    const isAccessor = descriptor.writable === undefined;
    writer.byte(
      (descriptor.writable === true ? T.WRITABLE : 0) |
        (descriptor.enumerable === true ? T.ENUMERABLE : 0) |
        (descriptor.configurable === true ? T.CONFIGURABLE : 0) |
        (isAccessor ? T.ACCESSOR : 0),
    );
    if (isAccessor) {
      writer.value(descriptor.get);
      writer.value(descriptor.set);
    } else writer.value(descriptor.value);
  }
}

function isSameProperty(a: PropertyDescriptor | undefined, b: PropertyDescriptor): boolean {
  return (
    a !== undefined &&
    is(a.value, b.value) &&
    a.get === b.get &&
    a.set === b.set &&
    (a.writable ?? false) === (b.writable ?? false) &&
    (a.enumerable ?? false) === (b.enumerable ?? false) &&
    (a.configurable ?? false) === (b.configurable ?? false)
  );
}

export interface RestoredProperty {
  readonly key: PropertyKey;
  /** Undefined if the property must be deleted. */
  readonly descriptor: PropertyDescriptor | undefined;
  readonly isStack: boolean;
  /** Offset in the bytes. */
  readonly offset: number;
}

export function readProperties(reader: HeapReader): RestoredProperty[] {
  const entries: RestoredProperty[] = [];
  const count = reader.count(2, 'properties');
  for (let i = 0; i < count; i++) entries[i] = readProperty(reader);
  return entries;
}

function readProperty(reader: HeapReader): RestoredProperty {
  const { offset: start } = reader;
  const key = reader.propertyKey();
  const attributes = reader.byte();
  if (attributes === T.DELETED) return { key, descriptor: undefined, isStack: false, offset: start };
  if (attributes === T.STACK) return { key, descriptor: { value: reader.value() }, isStack: true, offset: start };
  if (attributes > 0xf) throw reader.corrupt('the attributes of a property', reader.offset - 1);
  const common = {
    enumerable: (attributes & T.ENUMERABLE) !== 0,
    configurable: (attributes & T.CONFIGURABLE) !== 0,
  };
  const descriptor =
    (attributes & T.ACCESSOR) !== 0
      ? { ...common, get: readAccessor(reader), set: readAccessor(reader) }
      : { ...common, writable: (attributes & T.WRITABLE) !== 0, value: reader.value() };
  // The prototype is null, because the program may change what all objects inherit before the descriptor is used.
  setPrototypeOf(descriptor, null);
  return { key, descriptor, isStack: false, offset: start };
}

function readAccessor(reader: HeapReader): never {
  const { offset: start } = reader;
  const value = reader.value();
  if (value !== undefined && !reader.isAccessor(value)) throw reader.corrupt('a getter or setter', start);
  return value as never;
}

export function defineRestored(object: object, { key, descriptor, isStack, offset: at }: RestoredProperty): void {
  if (descriptor === undefined) {
    if (!deleteProperty(object, key)) throw corruptStateError('a property that can be deleted', at);
  } else if (isStack) defineStack(object, descriptor.value);
  else if (!defineProperty(object, key, descriptor)) throw corruptStateError('a property that can be defined', at);
}
