// A piece of state as parts: each with the way to it and a line of text, in an order that is a function of the state alone. So two states of different times are compared, though no object of the
// one is there in the other. Nothing of the program's is called.
import { types } from 'node:util';
import type { StatePart, StateParts } from '@turntable/time-machine/replay-process';
import { classOf, innerOf, lineOf, listLength, nameOf, ownLine, type Known } from '../replay/thread/shown-values.ts';

const { getOwnPropertyDescriptor, hasOwn } = Object;
const { ownKeys } = Reflect;
const { isArray } = Array;
/** Of what a promise holds, a map, a set and an object: all but what is the same for its whole life. */
const OUTSIDE: ReadonlySet<string> = new Set(['prototype', 'awaited']);

/** @param roots what it begins with, by their names @param most parts */
export function statePartsOf(
  roots: Iterable<readonly [name: string, value: unknown]>,
  known: Known,
  most: number,
): StateParts {
  const parts: StatePart[] = [];
  const paths = new Map<object, string>();
  /** Those that are nearer come first. */
  const waiting: [path: string, value: unknown][] = Array.from(roots, ([name, value]) => [name, value]);
  let at = 0;
  for (; at < waiting.length && parts.length < most; at++) {
    const [path, value] = waiting[at] as [string, unknown];
    if (typeof value !== 'object' || value === null) {
      parts.push([path, lineOf(value, 0)]);
      continue;
    }
    const before = paths.get(value);
    if (before !== undefined) {
      parts.push([path, `the same as ${before}`]);
      continue;
    }
    paths.set(value, path);
    parts.push([path, headOf(value)]);
    for (const [step, part] of partsIn(value, known)) waiting.push([path + step, part]);
  }
  return { parts, isCut: at < waiting.length };
}

/** What is said of an object beside its parts. */
function headOf(object: object): string {
  if (types.isProxy(object)) return 'Proxy';
  const name = classOf(object);
  if (types.isTypedArray(object)) return `${name}(${listLength(object)}) ${digestOf(object)}`;
  if (isArray(object)) return `${name}(${listLength(object)})`;
  return ownLine(object, name) ?? (name === '' || name === 'Object' ? '{…}' : name);
}

/** Enough to see that it is another one. */
function digestOf(list: ArrayBufferView): string {
  const bytes = new Uint8Array(list.buffer, list.byteOffset, list.byteLength);
  let sum = 0;
  for (const byte of bytes) sum = (Math.imul(sum, 31) + byte) | 0;
  return (sum >>> 0).toString(16);
}

/** With the steps to them. */
export function partsIn(object: object, known: Known): (readonly [step: string, value: unknown])[] {
  if (types.isProxy(object) || types.isTypedArray(object) || isTimer(object)) return [];
  const isEntry = types.isMap(object);
  const found: (readonly [string, unknown])[] = [];
  for (const [name, value] of innerOf(object, known)) {
    if (OUTSIDE.has(name)) continue;
    if (name.startsWith('#')) found.push([`.${name}`, value]);
    else if (name !== 'state') found.push([isEntry ? `.get(${name})` : `.${name}`, value]);
  }
  for (const key of ownKeys(object)) {
    const property = getOwnPropertyDescriptor(object, key);
    if (property?.enumerable !== true || !('value' in property)) continue;
    found.push([stepOf(key), property.value]);
  }
  return found;
}

function stepOf(key: PropertyKey): string {
  if (typeof key === 'symbol') return nameOf(key);
  const name = String(key);
  if (/^(?:0|[1-9]\d*)$/.test(name)) return `[${name}]`;
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}

/** Node's: what stands in one says when it will fire, and beside which others. */
function isTimer(object: object): boolean {
  return hasOwn(object, '_idleNext') && hasOwn(object, '_idlePrev');
}
