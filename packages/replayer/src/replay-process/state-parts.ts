// Describes a state as parts, each a path and a line of text, in an order that depends on the state alone. So states of
// different processes can be compared. No code of the program runs.
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
/** Names of parts that are left out because they never change. */
const OMITTED_PARTS: ReadonlySet<string> = new Set(['prototype', 'awaited']);

/** @param roots values at which paths start, by name @param maxParts maximum number of parts */
export function describeStateParts(
  roots: Iterable<readonly [name: string, value: unknown]>,
  details: ObjectDetails,
  maxParts: number,
): StateParts {
  const parts: StatePart[] = [];
  const paths = new Map<object, string>();
  /** Queue of a breadth-first search, so that nearer parts come first. */
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

function describeObject(object: object): string {
  if (types.isProxy(object)) return 'Proxy';
  const name = className(object);
  if (types.isTypedArray(object)) return `${name}(${listLength(object)}) ${checksumOf(object)}`;
  if (isArray(object)) return `${name}(${listLength(object)})`;
  return specialLine(object, name) ?? (name === '' || name === 'Object' ? '{…}' : name);
}

/** Checksum of the contents of a typed array or DataView. */
function checksumOf(list: ArrayBufferView): string {
  const bytes = new Uint8Array(list.buffer, list.byteOffset, list.byteLength);
  let sum = 0;
  for (const byte of bytes) sum = (Math.imul(sum, 31) + byte) | 0;
  return (sum >>> 0).toString(16);
}

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

/** Whether it is a timer of Node, whose contents depend on the clock and on other timers. */
function isTimer(object: object): boolean {
  return hasOwn(object, '_idleNext') && hasOwn(object, '_idlePrev');
}
