// Arrays, by what they hold: 32-bit integers, other numbers, anything, anything with holes; and sparse for all others: length and
// properties with their attributes. Read into exactly sized, packed backing stores.
//
// Nothing tells that an element has an accessor or attributes but its descriptor, or the array's shape (layout.ts, exemplars.ts).

import {
  arrayPrototype,
  defineProperty,
  descriptorOf,
  hasOwn,
  is,
  isArray,
  namesOf,
  sliceArray,
} from '../intrinsics.ts';
import { hasOrdinaryElements, isBareArray, isPacked, mayInheritElements } from '../exemplars.ts';
import { FIRST_KIND, HOLE, isTrimmed, PIECE } from '../tags.ts';
import type { Kind } from '../kind.ts';
import type { HeapPorts } from '../ports.ts';
import type { HeapReader } from '../reader.ts';
import type { HeapWriter } from '../writer.ts';

const base = {
  prototype: arrayPrototype,
  is: (object: object) => isArray(object),
  big: (object: object) => (object as unknown[]).length > PIECE,
  bare: isBare,
  owns: isIndexOrLength,
  header,
  edges(object: object, edge: (label: string, value: unknown) => void): void {
    const names = namesOf(object);
    for (const name of names) {
      const descriptor = descriptorOf(object, name);
      if (descriptor !== undefined && 'value' in descriptor) edge(`[${name}]`, descriptor.value);
    }
  },
} as const;

function isIndexOrLength(object: object, key: string): boolean {
  if (key === 'length') return descriptorOf(object, 'length')?.writable === true;
  return `${(key as unknown as number) >>> 0}` === key && key !== '4294967295';
}

/** Elements that are looked at one by one as fast as the engine is asked about all of them. */
const FEW = 8;
/** Elements of which it pays to ask first whether they can be anybody else's. */
const MANY = 1000;

const DENSE = 0;
const HOLEY = 1;
const SPARSE = 2;

/** Whether the elements are ordinary and all there; other properties do not count. */
function densityOf(array: unknown[], ports: HeapPorts): typeof DENSE | typeof HOLEY | typeof SPARSE {
  const { length } = array;
  if (isPacked(array, ports)) return DENSE;
  if (descriptorOf(array, 'length')?.writable !== true) return SPARSE;
  if (length > FEW && hasOrdinaryElements(array, ports)) {
    let there = 0;
    const isEach = length > MANY && !mayInheritElements(array, ports);
    for (let i = 0; i < length; i++) if ((isEach && array[i] !== undefined) || hasOwn(array, i)) there++;
    return densityFor(there, length);
  }
  let present = 0;
  if (length > MANY && namesOf(array).length * 4 < length) return SPARSE;
  for (let i = 0; i < length; i++) {
    const d = descriptorOf(array, i);
    if (d === undefined) continue;
    if (d.writable !== true || d.enumerable !== true || d.configurable !== true) return SPARSE;
    present++;
  }
  return densityFor(present, length);
}

function densityFor(present: number, length: number): typeof DENSE | typeof HOLEY | typeof SPARSE {
  if (present === length) return DENSE;
  if (length > MANY && (present + 1) * 4 < length) return SPARSE;
  return present * 4 > length ? HOLEY : SPARSE;
}

/** Nothing but elements and a length. */
function isBare(object: object, ports: HeapPorts): boolean {
  if (isBareArray(object, ports)) return true;
  const names = namesOf(object);
  return names[names.length - 1] === 'length';
}

function choose(object: object, ports: HeapPorts): Kind {
  const array = object as unknown[];
  const density = densityOf(array, ports);
  if (density === SPARSE) return sparse;
  if (density === HOLEY) return holey;
  const { length } = array;
  if (length === 0 || typeof array[0] !== 'number') return general;
  // Zeros at the end are many or none.
  let end = length;
  while (end > 0 && is(array[end - 1], 0)) end--;
  let i = 0;
  for (; i < end; i++) {
    const value = array[i];
    if (typeof value !== 'number') return general;
    if ((value | 0) !== value || is(value, -0)) break;
  }
  if (i === end) return integers;
  for (; i < end; i++) if (typeof array[i] !== 'number') return general;
  return doubles;
}

function header(writer: HeapWriter, object: object): void {
  writer.varint((object as unknown[]).length);
}

interface Stretch {
  readonly from: number;
  readonly end: number;
}

/** Answers where the next piece begins. Of long arrays, such as caches, the fillers at the end are left out. */
function pieces(
  write: (writer: HeapWriter, value: unknown, array: unknown[], index: number) => void,
  trimmed?: { readonly filler: unknown },
): NonNullable<Kind['contents']> {
  return (writer, object, state) => {
    const array = object as unknown[];
    const { length } = array;
    let from = 0;
    let end = length;
    if (state !== undefined) ({ from, end } = state as Stretch);
    else if (trimmed !== undefined && isTrimmed(length)) {
      const { filler } = trimmed;
      while (end > 0 && is(array[end - 1], filler)) end--;
      writer.varint(end);
    }
    const to = Math.min(end, from + PIECE);
    for (let i = from; i < to; i++) write(writer, array[i], array, i);
    return to < end ? { from: to, end } : undefined;
  };
}

function lengthIn(reader: HeapReader, size: number): number {
  const { at } = reader;
  const length = reader.varint();
  if (isTrimmed(length)) reader.take(length * 8);
  else reader.reserve(length, size, 'elements', at);
  return length;
}

/** So many elements are there; of which all others are is known. */
function endIn(reader: HeapReader, length: number): number {
  return isTrimmed(length) ? reader.index(length + 1, 'the number of elements') : length;
}

/** Values of unfinished arrays, one stack for all of them: packed, so that slices of it are. */
let stack: unknown[] = [];
let top = 0;

export function resetStacks(): void {
  stack = [];
  top = 0;
}

export const general: Kind = {
  ...base,
  tag: FIRST_KIND + 1,
  name: 'array',
  choose,
  contents: pieces((writer, value) => writer.value(value), { filler: undefined }),
  allocate(reader) {
    return packed(UNDEFINEDS, undefined, lengthIn(reader, 1));
  },
  fill(reader, object) {
    const array = object as unknown[];
    const end = endIn(reader, array.length);
    for (let i = 0; i < end; i++) array[i] = reader.value();
  },
  read(reader) {
    const length = lengthIn(reader, 1);
    if (length === 0) return [];
    const end = endIn(reader, length);
    const from = top;
    for (let i = 0; i < end; i++) {
      const value = reader.value();
      stack[top++] = value;
    }
    for (let i = end; i < length; i++) stack[top++] = undefined;
    const array = sliceArray(stack, from, top);
    // Nothing may stay alive because it once was an element.
    for (let i = from; i < top; i++) stack[i] = undefined;
    top = from;
    return array;
  },
};

const UNDEFINEDS: unknown[] = [];
const ZEROS: unknown[] = [];
const HALVES: unknown[] = [];

/** A packed array of exactly that length: a slice of a template, which grows as needed. */
function packed(template: unknown[], filler: unknown, length: number): unknown[] {
  if (length > 1 << 20) {
    const long: unknown[] = [];
    for (let i = 0; i < length; i++) long[i] = filler;
    return sliceArray(long, 0, length);
  }
  for (let i = template.length; i < length; i++) template[i] = filler;
  return sliceArray(template, 0, length);
}

export const integers: Kind = {
  ...base,
  tag: FIRST_KIND + 2,
  name: 'array of integers',
  contents: pieces((writer, value) => writer.varint((((value as number) << 1) ^ ((value as number) >> 31)) >>> 0), {
    filler: 0,
  }),
  allocate(reader) {
    return packed(ZEROS, 0, lengthIn(reader, 1));
  },
  fill(reader, object) {
    const array = object as number[];
    const end = endIn(reader, array.length);
    for (let i = 0; i < end; i++) array[i] = reader.integer();
  },
};

export const doubles: Kind = {
  ...base,
  tag: FIRST_KIND + 3,
  name: 'array of numbers',
  contents: pieces((writer, value) => writer.double(value as number), { filler: 0 }),
  allocate(reader) {
    return packed(HALVES, 0.5, lengthIn(reader, 8));
  },
  fill(reader, object) {
    const array = object as number[];
    const { length } = array;
    const end = endIn(reader, length);
    for (let i = 0; i < end; i++) array[i] = reader.double();
    for (let i = end; i < length; i++) array[i] = 0;
  },
};

const holey: Kind = {
  ...base,
  tag: FIRST_KIND + 4,
  name: 'array with holes',
  contents: pieces((writer, value, array, index) => {
    // A prototype may have something there.
    if (!hasOwn(array, index)) writer.byte(HOLE);
    else writer.value(value);
  }),
  allocate(reader) {
    return new Array(reader.count(1, 'elements'));
  },
  fill(reader, object) {
    const array = object as unknown[];
    const { length } = array;
    for (let i = 0; i < length; i++) {
      if (reader.isHole()) continue;
      array[i] = reader.value();
    }
  },
};

const sparse: Kind = {
  ...base,
  tag: FIRST_KIND + 5,
  name: 'sparse array',
  bare: () => false,
  owns: (object, key) => key === 'length' && descriptorOf(object, 'length')?.writable === true,
  big: () => false,
  allocate(reader: HeapReader) {
    const length = reader.varint();
    if (length > 0xffffffff) throw reader.corrupt('the length of an array');
    const array: unknown[] = [];
    // Dictionary elements from the start: the length says nothing about memory.
    defineProperty(array, 'length', { value: length });
    return array;
  },
};

export const ARRAY_KINDS: readonly Kind[] = [general, integers, doubles, holey, sparse];
