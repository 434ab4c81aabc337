// Values of the program as they are shown to somebody who looks on: nothing of theirs is called, no getter and no trap, and nothing is kept longer than they are looked at. Objects
// get numbers, by which their parts can be asked for.
import { types } from 'node:util';
import { Eventual, FULFILLED, PENDING } from '@turntable/core';
import { FarReference } from '@turntable/runtime';
import {
  type Entries,
  type Entry,
  OBJECT_IDS_PER_WORKER,
  type Page,
  type TextPiece,
  type Value,
  type ValueKind,
} from '@turntable/time-machine/replay-process';

/** Characters of a text, and parts of an object, in one line. */
const LONGEST = 100;
const MOST_PARTS = 5;
/** How deep a line goes. */
const DEEPEST = 2;

// The program may put its own in the places of all these.
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
const { valueOf: numberIn } = Number.prototype;
const { valueOf: textIn, slice: pieceOf } = String.prototype;
const mapEntries = Map.prototype.entries;
const setValues = Set.prototype.values;
const mapNext = (getPrototypeOf(new Map().entries()) as { next: () => IteratorResult<[unknown, unknown]> }).next;
const setNext = (getPrototypeOf(new Set().values()) as { next: () => IteratorResult<unknown> }).next;
const PLAIN: ReadonlySet<string> = new Set(['Object', '']);

/** What the loader knows of objects. */
export interface Known {
  /** Who waits for what an eventual comes to, in words. */
  waiting(eventual: object): readonly string[];
  /** Private fields, with their values. */
  privates(object: object): readonly (readonly [name: string, value: unknown])[];
}

const UNKNOWN: Known = { waiting: () => [], privates: () => [] };

export class ShownValues {
  readonly #ids = new Map<object, number>();
  readonly #objects: object[] = [];
  readonly #first: number;
  readonly #known: Known;

  /** @param worker whose they are @param from the first number */
  constructor(worker: number, known = UNKNOWN, from = 0) {
    this.#first = worker * OBJECT_IDS_PER_WORKER + from;
    this.#known = known;
  }

  /** The numbers are forgotten. */
  forget(): void {
    this.#ids.clear();
    this.#objects.length = 0;
  }

  value(value: unknown): Value {
    const kind = kindOf(value);
    if (kind === 'string') {
      const text = value as string;
      const shown = { kind, preview: lineOf(value, 0) } as const;
      return text.length <= LONGEST ? shown : { ...shown, length: text.length, id: this.#idOf(new String(text)) };
    }
    if (kind !== 'object' && kind !== 'function') return { kind, preview: lineOf(value, 0) };
    const object = value as object;
    return { kind, preview: lineOf(object, 0), class: classOf(object), id: this.#idOf(object) };
  }

  #idOf(object: object): number {
    let id = this.#ids.get(object);
    if (id === undefined) {
      id = this.#first + this.#objects.push(object);
      this.#ids.set(object, id);
    }
    return id;
  }

  /** What has been given a number; nothing, if that is forgotten. */
  numbered(id: number): object | undefined {
    return this.#objects[id - this.#first - 1];
  }

  #meant(id: number): object {
    const object = this.numbered(id);
    if (object !== undefined) return object;
    throw new RangeError(`there is no object ${id}: numbers are forgotten when the program goes on`);
  }

  text({ id, from, count }: Page & { readonly id: number }): TextPiece {
    const object = this.#meant(id);
    if (!types.isStringObject(object)) throw new TypeError(`object ${id} is no text`);
    const text = apply(textIn, object, []);
    return { text: apply(pieceOf, text, [from, from + count]) as string, total: text.length };
  }

  expand({ id, from, count }: Page & { readonly id: number }): Entries {
    const object = this.#meant(id);
    if (types.isStringObject(object)) return { entries: [this.#inner('text', apply(textIn, object, []))], total: 1 };
    const inner = innerOf(object, this.#known);
    // The keys of a proxy are its handler's to say.
    const keys = types.isProxy(object) ? [] : ownKeys(object);
    const entries: Entry[] = [];
    const end = Math.min(from + count, inner.length + keys.length);
    for (let at = from; at < end; at++) {
      const part = inner[at];
      if (part !== undefined) entries.push(this.#inner(part[0], part[1]));
      else entries.push(this.#property(object, keys[at - inner.length] as PropertyKey));
    }
    return { entries, total: inner.length + keys.length };
  }

  #inner(name: string, value: unknown): Entry {
    return { name, is: 'inner', isEnumerable: false, value: value === NOTHING ? undefined : this.value(value) };
  }

  #property(object: object, key: PropertyKey): Entry {
    const name = nameOf(key);
    const descriptor = getOwnPropertyDescriptor(object, key);
    const isEnumerable = descriptor?.enumerable === true;
    if (descriptor === undefined || 'get' in descriptor || 'set' in descriptor)
      return { name, is: 'accessor', isEnumerable, value: undefined };
    return { name, is: 'property', isEnumerable, value: this.value(descriptor.value) };
  }
}

const NOTHING: unique symbol = Symbol('nothing');

function kindOf(value: unknown): ValueKind {
  return value === null ? 'null' : (typeof value as ValueKind);
}

export function nameOf(key: PropertyKey): string {
  return typeof key === 'symbol' ? `[${apply(symbolText, key, [])}]` : String(key);
}

/** One line, whatever it is. */
export function lineOf(value: unknown, depth: number): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length <= LONGEST ? value : `${value.slice(0, LONGEST)}…`);
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
  const name = dataOf(fn, 'name');
  const isClass = getOwnPropertyDescriptor(fn, 'prototype')?.writable === false;
  return `${isClass ? 'class' : 'function'} ${typeof name === 'string' && name !== '' ? name : '(anonymous)'}`;
}

function objectLine(object: object, depth: number): string {
  if (types.isProxy(object)) return 'Proxy';
  const name = classOf(object);
  const own = ownLine(object, name);
  if (own !== undefined) return own;
  const isList = isArray(object) || types.isTypedArray(object);
  const length = isList ? listLength(object) : 0;
  const head = isList ? `${name}(${length})` : PLAIN.has(name) ? '' : name;
  const parts = depth >= DEEPEST ? undefined : isList ? elementsOf(object, length, depth) : propertiesOf(object, depth);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const inside = parts === undefined ? '…' : parts.join(', ');
  return `${head === '' ? '' : `${head} `}${open}${inside}${close}`;
}

/** Of what says more by something else than its properties. */
export function ownLine(object: object, name: string): string | undefined {
  if (Eventual.has(object)) {
    const state = Eventual.state(object);
    return `${name} {${state === PENDING ? 'pending' : `${state === FULFILLED ? 'fulfilled' : 'rejected'}: ${lineOf(Eventual.value(object), DEEPEST)}`}}`;
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
    const message = dataOf(object, 'message');
    return typeof message === 'string' && message !== '' ? `${name}: ${message}` : name;
  }
  if (types.isArrayBuffer(object)) return `${name}(${apply(bufferSize, object, []) as number})`;
  if (types.isNumberObject(object)) return `${name} {${apply(numberIn, object, [])}}`;
  return undefined;
}

/** `flags` asks the object for each of them, which may have its own. */
function patternFlagsOf(pattern: object): string {
  return ownKeys(pattern).length === 1 && getPrototypeOf(pattern) === RegExp.prototype
    ? (apply(patternFlags, pattern, []) as string)
    : '';
}

export function listLength(list: object): number {
  return (types.isTypedArray(list) ? apply(lengthOf, list, []) : dataOf(list, 'length')) as number;
}

function elementsOf(list: object, length: number, depth: number): string[] {
  const parts: string[] = [];
  for (let i = 0; i < Math.min(length, MOST_PARTS); i++) {
    const element = getOwnPropertyDescriptor(list, i);
    parts.push(element === undefined ? '' : 'value' in element ? lineOf(element.value, depth + 1) : '(getter)');
  }
  if (length > MOST_PARTS) parts.push('…');
  return parts;
}

function propertiesOf(object: object, depth: number): string[] {
  const parts: string[] = [];
  for (const key of ownKeys(object)) {
    const property = getOwnPropertyDescriptor(object, key);
    if (property?.enumerable !== true) continue;
    if (parts.length === MOST_PARTS) {
      parts.push('…');
      break;
    }
    parts.push(`${nameOf(key)}: ${'value' in property ? lineOf(property.value, depth + 1) : '(getter)'}`);
  }
  return parts;
}

/** By what its prototypes say of themselves. */
export function classOf(object: object): string {
  if (types.isProxy(object)) return 'Proxy';
  if (typeof object === 'function') return 'Function';
  for (let at = getPrototypeOf(object) as object | null; at !== null && !types.isProxy(at);) {
    const constructor = dataOf(at, 'constructor');
    if (typeof constructor === 'function' && !types.isProxy(constructor)) {
      const name = dataOf(constructor, 'name');
      if (typeof name === 'string' && name !== '') return name;
    }
    at = getPrototypeOf(at) as object | null;
  }
  return '';
}

function dataOf(object: object, key: PropertyKey): unknown {
  return getOwnPropertyDescriptor(object, key)?.value as unknown;
}

/** What it holds that is no property. */
export function innerOf(object: object, known: Known): (readonly [name: string, value: unknown])[] {
  if (types.isProxy(object)) return [];
  const inner: (readonly [string, unknown])[] = [];
  if (Eventual.has(object)) {
    const state = Eventual.state(object);
    inner.push(['state', state === PENDING ? 'pending' : state === FULFILLED ? 'fulfilled' : 'rejected']);
    if (state !== PENDING) inner.push(['value', Eventual.value(object)]);
    else for (const line of known.waiting(object)) inner.push(['awaited', line]);
  } else if (types.isMap(object)) {
    const iterator = apply(mapEntries, object, []);
    for (let next = apply(mapNext, iterator, []); next.done !== true; next = apply(mapNext, iterator, [])) {
      const [key, value] = next.value as [unknown, unknown];
      inner.push([lineOf(key, 1), value]);
    }
  } else if (types.isSet(object)) {
    const iterator = apply(setValues, object, []);
    let at = 0;
    for (let next = apply(setNext, iterator, []); next.done !== true; next = apply(setNext, iterator, []))
      inner.push([String(at++), next.value]);
  }
  for (const [name, value] of known.privates(object)) inner.push([name, value]);
  const prototype = getPrototypeOf(object) as object | null;
  if (prototype !== null) inner.push(['prototype', prototype]);
  return inner;
}
