// A piece of state as parts: each with the way to it and a line of text, in an order that is a function of the state alone. So two states of different times are compared, though no object of the
// one is there in the other. Nothing of the program's is called.
import { types } from 'node:util';
import type { StatePart, StateParts } from '@turntable/time-machine/replay-process';
import {
  className,
  innerValues,
  valueLine,
  listLength,
  keyText,
  specialLine,
  type ObjectDetails,
} from '../replay/thread/value-inspector.ts';

const { getOwnPropertyDescriptor, hasOwn } = Object;
const { ownKeys } = Reflect;
const { isArray } = Array;
/** Of what a promise holds, a map, a set and an object: all but what is the same for its whole life. */
const OMITTED_PARTS: ReadonlySet<string> = new Set(['prototype', 'awaited']);

/** @param roots what it begins with, by their names @param maxParts parts */
export function describeStateParts(
  roots: Iterable<readonly [name: string, value: unknown]>,
  details: ObjectDetails,
  maxParts: number,
): StateParts {
  const parts: StatePart[] = [];
  const paths = new Map<object, string>();
  /** Those that are nearer come first. */
  const queue: [path: string, value: unknown][] = Array.from(roots, ([name, value]) => [name, value]);
  let index = 0;
  for (; index < queue.length && parts.length < maxParts; index++) {
    const [path, value] = queue[index] as [string, unknown];
    if (typeof value !== 'object' || value === null) {
      parts.push([path, valueLine(value, 0)]);
      continue;
    }
    const earlierPath = paths.get(value);
    if (earlierPath !== undefined) {
      parts.push([path, `the same as ${earlierPath}`]);
      continue;
    }
    paths.set(value, path);
    parts.push([path, describeObject(value)]);
    for (const [step, part] of partsOf(value, details)) queue.push([path + step, part]);
  }
  return { parts, isTruncated: index < queue.length };
}

/** What is said of an object beside its parts. */
function describeObject(object: object): string {
  if (types.isProxy(object)) return 'Proxy';
  const name = className(object);
  if (types.isTypedArray(object)) return `${name}(${listLength(object)}) ${checksumOf(object)}`;
  if (isArray(object)) return `${name}(${listLength(object)})`;
  return specialLine(object, name) ?? (name === '' || name === 'Object' ? '{…}' : name);
}

/** Enough to see that it is another one. */
function checksumOf(list: ArrayBufferView): string {
  const bytes = new Uint8Array(list.buffer, list.byteOffset, list.byteLength);
  let sum = 0;
  for (const byte of bytes) sum = (Math.imul(sum, 31) + byte) | 0;
  return (sum >>> 0).toString(16);
}

/** With the steps to them. */
export function partsOf(object: object, details: ObjectDetails): (readonly [step: string, value: unknown])[] {
  if (types.isProxy(object) || types.isTypedArray(object) || isTimer(object)) return [];
  const isMap = types.isMap(object);
  const parts: (readonly [string, unknown])[] = [];
  for (const [name, value] of innerValues(object, details)) {
    if (OMITTED_PARTS.has(name)) continue;
    if (name.startsWith('#')) parts.push([`.${name}`, value]);
    else if (name !== 'state') parts.push([isMap ? `.get(${name})` : `.${name}`, value]);
  }
  for (const key of ownKeys(object)) {
    const property = getOwnPropertyDescriptor(object, key);
    if (property?.enumerable !== true || !('value' in property)) continue;
    parts.push([pathStep(key), property.value]);
  }
  return parts;
}

function pathStep(key: PropertyKey): string {
  if (typeof key === 'symbol') return keyText(key);
  const name = String(key);
  if (/^(?:0|[1-9]\d*)$/.test(name)) return `[${name}]`;
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** Node's: what stands in one says when it will fire, and beside which others. */
function isTimer(object: object): boolean {
  return hasOwn(object, '_idleNext') && hasOwn(object, '_idlePrev');
}
