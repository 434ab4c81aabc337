// Renders values of the program for clients. No getter, trap or other code of the program runs. Each object gets a
// number with which clients request its parts, and is kept until `forgetIds`.
import { types } from 'node:util';
import { Eventual, FULFILLED, PENDING } from '@turntable/core';
import { FarReference } from '@turntable/runtime';
import {
  type ValueEntries,
  type ValueEntry,
  OBJECT_IDS_PER_WORKER,
  type Page,
  type TextPiece,
  type Value,
  type ValueKind,
} from '@turntable/time-machine/replay-process';

/** Limits of a one-line preview, in characters and in parts. */
const MAX_PREVIEW_LENGTH = 100;
const MAX_PREVIEW_PARTS = 5;
/** Maximum depth of nested objects in a preview. */
const MAX_PREVIEW_DEPTH = 2;

// Taken at load, because the program may replace these functions.
const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
const { ownKeys, apply } = Reflect;
const { isArray } = Array;
const getterOf = (prototype: object, name: PropertyKey): ((this: unknown) => unknown) =>
  getOwnPropertyDescriptor(prototype, name)?.get as () => unknown;
const typedArray = getPrototypeOf(Uint8Array.prototype) as object;
const lengthOf = getterOf(typedArray, 'length');
const mapSize = getterOf(Map.prototype, 'size');
const setSize = getterOf(Set.prototype, 'size');
const bufferSize = getterOf(ArrayBuffer.prototype, 'byteLength');
const patternSource = getterOf(RegExp.prototype, 'source');
const patternFlags = getterOf(RegExp.prototype, 'flags');
const { getTime, toISOString } = Date.prototype;
const { toString: symbolText } = Symbol.prototype;
const { valueOf: unboxNumber } = Number.prototype;
const { valueOf: unboxString, slice: sliceString } = String.prototype;
const mapEntries = Map.prototype.entries;
const setValues = Set.prototype.values;
const mapNext = (getPrototypeOf(new Map().entries()) as { next: () => IteratorResult<[unknown, unknown]> }).next;
const setNext = (getPrototypeOf(new Set().values()) as { next: () => IteratorResult<unknown> }).next;
const PLAIN_CLASSES: ReadonlySet<string> = new Set(['Object', '']);

/** Details of objects that only the loader knows. */
export interface ObjectDetails {
  /** Descriptions of the waiters of an eventual. */
  waitersOf(eventual: object): readonly string[];
  /** Names and values of private fields. */
  privateFieldsOf(object: object): readonly (readonly [name: string, value: unknown])[];
}

const NO_DETAILS: ObjectDetails = { waitersOf: () => [], privateFieldsOf: () => [] };

export class ValueInspector {
  readonly #ids = new Map<object, number>();
  readonly #objects: object[] = [];
  readonly #firstId: number;
  readonly #details: ObjectDetails;

  /** @param worker worker to which the values belong @param firstId offset of the object numbers */
  constructor(worker: number, details = NO_DETAILS, firstId = 0) {
    this.#firstId = worker * OBJECT_IDS_PER_WORKER + firstId;
    this.#details = details;
  }

  /** Makes all object numbers invalid. */
  forgetIds(): void {
    this.#ids.clear();
    this.#objects.length = 0;
  }

  toValue(value: unknown): Value {
    const kind = kindOf(value);
    if (kind === 'string') {
      const text = value as string;
      const preview = { kind, preview: valueLine(value, 0) } as const;
      return text.length <= MAX_PREVIEW_LENGTH
        ? preview
        : { ...preview, length: text.length, id: this.#idOf(new String(text)) };
    }
    if (kind !== 'object' && kind !== 'function') return { kind, preview: valueLine(value, 0) };
    const object = value as object;
    return { kind, preview: valueLine(object, 0), class: className(object), id: this.#idOf(object) };
  }

  #idOf(object: object): number {
    let id = this.#ids.get(object);
    if (id === undefined) {
      id = this.#firstId + this.#objects.push(object);
      this.#ids.set(object, id);
    }
    return id;
  }

  /** The object with this number; undefined if the number is no longer valid. */
  objectWithId(id: number): object | undefined {
    return this.#objects[id - this.#firstId - 1];
  }

  #requireObject(id: number): object {
    const object = this.objectWithId(id);
    if (object !== undefined) return object;
    throw new RangeError(`there is no object ${id}; object numbers are valid only while the program is paused`);
  }

  readText({ id, from, count }: Page & { readonly id: number }): TextPiece {
    const object = this.#requireObject(id);
    if (!types.isStringObject(object)) throw new TypeError(`object ${id} is not a string`);
    const text = apply(unboxString, object, []);
    return { text: apply(sliceString, text, [from, from + count]) as string, total: text.length };
  }

  expand({ id, from, count }: Page & { readonly id: number }): ValueEntries {
    const object = this.#requireObject(id);
    if (types.isStringObject(object))
      return { entries: [this.#innerEntry('text', apply(unboxString, object, []))], total: 1 };
    const innerParts = innerValues(object, this.#details);
    // Listing the keys of a proxy would run its handler.
    const propertyKeys = types.isProxy(object) ? [] : ownKeys(object);
    const entries: ValueEntry[] = [];
    const end = Math.min(from + count, innerParts.length + propertyKeys.length);
    for (let index = from; index < end; index++) {
      const part = innerParts[index];
      if (part !== undefined) entries.push(this.#innerEntry(part[0], part[1]));
      else entries.push(this.#propertyEntry(object, propertyKeys[index - innerParts.length] as PropertyKey));
    }
    return { entries, total: innerParts.length + propertyKeys.length };
  }

  #innerEntry(name: string, value: unknown): ValueEntry {
    return { name, kind: 'inner', isEnumerable: false, value: value === NO_VALUE ? undefined : this.toValue(value) };
  }

  #propertyEntry(object: object, key: PropertyKey): ValueEntry {
    const name = keyText(key);
    const descriptor = getOwnPropertyDescriptor(object, key);
    const isEnumerable = descriptor?.enumerable === true;
    if (descriptor === undefined || 'get' in descriptor || 'set' in descriptor)
      return { name, kind: 'accessor', isEnumerable, value: undefined };
    return { name, kind: 'property', isEnumerable, value: this.toValue(descriptor.value) };
  }
}

const NO_VALUE: unique symbol = Symbol('nothing');

function kindOf(value: unknown): ValueKind {
  return value === null ? 'null' : (typeof value as ValueKind);
}

export function keyText(key: PropertyKey): string {
  return typeof key === 'symbol' ? `[${apply(symbolText, key, [])}]` : String(key);
}

/** One line of text for any value. */
export function valueLine(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length <= MAX_PREVIEW_LENGTH ? value : `${value.slice(0, MAX_PREVIEW_LENGTH)}…`);
    case 'symbol':
      return apply(symbolText, value, []) as string;
    case 'bigint':
      return `${value}n`;
    case 'number':
      return Object.is(value, -0) ? '-0' : `${value}`;
    case 'function':
      return types.isProxy(value) ? 'Proxy' : functionLine(value);
    case 'object':
      return value === null ? 'null' : objectLine(value, depth);
    default:
      return String(value);
  }
}

function functionLine(fn: object): string {
  const name = dataProperty(fn, 'name');
  const isClass = getOwnPropertyDescriptor(fn, 'prototype')?.writable === false;
  return `${isClass ? 'class' : 'function'} ${typeof name === 'string' && name !== '' ? name : '(anonymous)'}`;
}

function objectLine(object: object, depth: number): string {
  if (types.isProxy(object)) return 'Proxy';
  const name = className(object);
  const special = specialLine(object, name);
  if (special !== undefined) return special;
  const isList = isArray(object) || types.isTypedArray(object);
  const length = isList ? listLength(object) : 0;
  const prefix = isList ? `${name}(${length})` : PLAIN_CLASSES.has(name) ? '' : name;
  const parts =
    depth >= MAX_PREVIEW_DEPTH
      ? undefined
      : isList
        ? elementTexts(object, length, depth)
        : propertyTexts(object, depth);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const body = parts === undefined ? '…' : parts.join(', ');
  return `${prefix === '' ? '' : `${prefix} `}${open}${body}${close}`;
}

/** Text of an object whose properties do not show its contents; undefined for others. */
export function specialLine(object: object, name: string): string | undefined {
  if (Eventual.is(object)) {
    const state = Eventual.state(object);
    return `${name} {${state === PENDING ? 'pending' : `${state === FULFILLED ? 'fulfilled' : 'rejected'}: ${valueLine(Eventual.value(object), MAX_PREVIEW_DEPTH)}`}}`;
  }
  if (FarReference.has(object)) return `reference to ${FarReference.actorOf(object).name}`;
  if (types.isMap(object)) return `${name}(${apply(mapSize, object, []) as number})`;
  if (types.isSet(object)) return `${name}(${apply(setSize, object, []) as number})`;
  if (types.isDate(object)) {
    const time = apply(getTime, object, []);
    return Number.isNaN(time) ? `${name} {invalid}` : `${name} {${apply(toISOString, object, [])}}`;
  }
  if (types.isRegExp(object)) return `/${apply(patternSource, object, []) as string}/${patternFlagsOf(object)}`;
  if (types.isNativeError(object)) {
    const message = dataProperty(object, 'message');
    return typeof message === 'string' && message !== '' ? `${name}: ${message}` : name;
  }
  if (types.isArrayBuffer(object)) return `${name}(${apply(bufferSize, object, []) as number})`;
  if (types.isNumberObject(object)) return `${name} {${apply(unboxNumber, object, [])}}`;
  return undefined;
}

/** Flags of a RegExp, unless the `flags` getter would read properties that the program defines. */
function patternFlagsOf(pattern: object): string {
  return ownKeys(pattern).length === 1 && getPrototypeOf(pattern) === RegExp.prototype
    ? (apply(patternFlags, pattern, []) as string)
    : '';
}

export function listLength(list: object): number {
  return (types.isTypedArray(list) ? apply(lengthOf, list, []) : dataProperty(list, 'length')) as number;
}

function elementTexts(list: object, length: number, depth: number): string[] {
  const parts: string[] = [];
  for (let i = 0; i < Math.min(length, MAX_PREVIEW_PARTS); i++) {
    const element = getOwnPropertyDescriptor(list, i);
    parts.push(element === undefined ? '' : 'value' in element ? valueLine(element.value, depth + 1) : '(getter)');
  }
  if (length > MAX_PREVIEW_PARTS) parts.push('…');
  return parts;
}

function propertyTexts(object: object, depth: number): string[] {
  const parts: string[] = [];
  for (const key of ownKeys(object)) {
    const property = getOwnPropertyDescriptor(object, key);
    if (property?.enumerable !== true) continue;
    if (parts.length === MAX_PREVIEW_PARTS) {
      parts.push('…');
      break;
    }
    parts.push(`${keyText(key)}: ${'value' in property ? valueLine(property.value, depth + 1) : '(getter)'}`);
  }
  return parts;
}

/** Name of the class, read from the prototypes. */
export function className(object: object): string {
  if (types.isProxy(object)) return 'Proxy';
  if (typeof object === 'function') return 'Function';
  for (let current = getPrototypeOf(object) as object | null; current !== null && !types.isProxy(current);) {
    const constructor = dataProperty(current, 'constructor');
    if (typeof constructor === 'function' && !types.isProxy(constructor)) {
      const name = dataProperty(constructor, 'name');
      if (typeof name === 'string' && name !== '') return name;
    }
    current = getPrototypeOf(current) as object | null;
  }
  return '';
}

function dataProperty(object: object, key: PropertyKey): unknown {
  return getOwnPropertyDescriptor(object, key)?.value as unknown;
}

/** Contents of an object that are not properties. */
export function innerValues(object: object, details: ObjectDetails): (readonly [name: string, value: unknown])[] {
  if (types.isProxy(object)) return [];
  const innerParts: (readonly [string, unknown])[] = [];
  if (Eventual.is(object)) {
    const state = Eventual.state(object);
    innerParts.push(['state', state === PENDING ? 'pending' : state === FULFILLED ? 'fulfilled' : 'rejected']);
    if (state !== PENDING) innerParts.push(['value', Eventual.value(object)]);
    else for (const line of details.waitersOf(object)) innerParts.push(['awaited', line]);
  } else if (types.isMap(object)) {
    const iterator = apply(mapEntries, object, []);
    for (let next = apply(mapNext, iterator, []); next.done !== true; next = apply(mapNext, iterator, [])) {
      const [key, value] = next.value as [unknown, unknown];
      innerParts.push([valueLine(key, 1), value]);
    }
  } else if (types.isSet(object)) {
    const iterator = apply(setValues, object, []);
    let index = 0;
    for (let next = apply(setNext, iterator, []); next.done !== true; next = apply(setNext, iterator, []))
      innerParts.push([String(index++), next.value]);
  }
  for (const [name, value] of details.privateFieldsOf(object)) innerParts.push([name, value]);
  const prototype = getPrototypeOf(object) as object | null;
  if (prototype !== null) innerParts.push(['prototype', prototype]);
  return innerParts;
}
