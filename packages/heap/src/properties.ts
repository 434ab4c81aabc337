// Own properties with their attributes: of objects that are not ordinary, of kinds with more than they are born with, of known objects
// that were changed.

import { corruptState } from './heap-error.ts';
import { defineProperty, deleteProperty, descriptorOf, is, ownKeys, setPrototypeOf } from './intrinsics.ts';
import { defineStack, isStack, stackOf } from './kinds/errors.ts';
import * as T from './tags.ts';
import type { Kind } from './kind.ts';
import type { Parts } from './ports.ts';
import type { HeapReader } from './reader.ts';
import type { HeapWriter } from './writer.ts';

/** Nothing stands for a property that was deleted. */
export type Property = readonly [PropertyKey, PropertyDescriptor | undefined];

/** Stands for what is there from birth to death as it is: it is not read. */
export const UNCHANGEABLE: PropertyDescriptor = {};

/** What header, contents and birth do not account for. */
export function ownProperties(object: object, kind: Kind | undefined, born: Parts['born']): Property[] {
  const found: Property[] = [];
  const keys = ownKeys(object);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i] as string | symbol;
    if (typeof key === 'string' ? kind?.owns?.(object, key) === true : kind?.hides?.(key) === true) continue;
    if (born?.[key as string] === UNCHANGEABLE) continue;
    const descriptor = descriptorOf(object, key) as PropertyDescriptor;
    if (born !== undefined && isSameProperty(born[key as string], descriptor)) continue;
    found[found.length] = [key, descriptor];
  }
  if (born !== undefined) {
    const names = ownKeys(born);
    for (let i = 0; i < names.length; i++) {
      const key = names[i] as string;
      if (born[key] !== UNCHANGEABLE && descriptorOf(object, key) === undefined) found[found.length] = [key, undefined];
    }
  }
  const { born: bornKeys = [] } = kind ?? {};
  for (let i = 0; i < bornKeys.length; i++) {
    const key = bornKeys[i] as string;
    if (descriptorOf(object, key) === undefined) found[found.length] = [key, undefined];
  }
  return found;
}

export function writeProperties(writer: HeapWriter, list: readonly Property[], object: object): void {
  writer.varint(list.length);
  for (let i = 0; i < list.length; i++) {
    const [key, d] = list[i] as Property;
    writer.value(key);
    if (d === undefined) {
      writer.byte(T.DELETED);
      continue;
    }
    if (isStack(d)) {
      writer.byte(T.STACK);
      writer.value(stackOf(object));
      continue;
    }
    const isAccessor = d.get !== undefined || d.set !== undefined || d.writable === undefined;
    writer.byte(
      (d.writable === true ? T.WRITABLE : 0) |
        (d.enumerable === true ? T.ENUMERABLE : 0) |
        (d.configurable === true ? T.CONFIGURABLE : 0) |
        (isAccessor ? T.ACCESSOR : 0),
    );
    if (isAccessor) {
      writer.value(d.get);
      writer.value(d.set);
    } else writer.value(d.value);
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

export interface ReadProperty {
  readonly key: PropertyKey;
  /** Nothing if it is to be deleted. */
  readonly descriptor: PropertyDescriptor | undefined;
  readonly isStack: boolean;
  /** Where it stands in the bytes. */
  readonly at: number;
}

export function readProperties(reader: HeapReader): ReadProperty[] {
  const list: ReadProperty[] = [];
  const count = reader.count(2, 'properties');
  for (let i = 0; i < count; i++) list[i] = readProperty(reader);
  return list;
}

function readProperty(reader: HeapReader): ReadProperty {
  const { at } = reader;
  const key = reader.propertyKey();
  const attributes = reader.byte();
  if (attributes === T.DELETED) return { key, descriptor: undefined, isStack: false, at };
  if (attributes === T.STACK) return { key, descriptor: { value: reader.value() }, isStack: true, at };
  if (attributes > 0xf) throw reader.corrupt('the attributes of a property', reader.at - 1);
  const common = {
    enumerable: (attributes & T.ENUMERABLE) !== 0,
    configurable: (attributes & T.CONFIGURABLE) !== 0,
  };
  const descriptor =
    (attributes & T.ACCESSOR) !== 0
      ? { ...common, get: accessor(reader), set: accessor(reader) }
      : { ...common, writable: (attributes & T.WRITABLE) !== 0, value: reader.value() };
  // By the time it is used, the program may have changed what all objects inherit.
  setPrototypeOf(descriptor, null);
  return { key, descriptor, isStack: false, at };
}

function accessor(reader: HeapReader): never {
  const { at } = reader;
  const value = reader.value();
  if (value !== undefined && !reader.isAccessor(value)) throw reader.corrupt('a getter or setter', at);
  return value as never;
}

export function defineOwn(object: object, { key, descriptor, isStack, at }: ReadProperty): void {
  if (descriptor === undefined) {
    if (!deleteProperty(object, key)) throw corruptState('a property that can be deleted', at);
  } else if (isStack) defineStack(object, descriptor.value);
  else if (!defineProperty(object, key, descriptor)) throw corruptState('a property that can be defined', at);
}
