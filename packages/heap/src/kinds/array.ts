// Arrays, by element type: 32-bit integers, other numbers, any values, any values with holes; all others are sparse,
// with length and properties. They are read into packed backing stores of exact size.
//
// Only descriptors or the array's shape (layout.ts, exemplars.ts) tell whether an element is an accessor.

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
import { FIRST_KIND, HOLE, isTrimmed, PIECE_ENTRIES } from '../tags.ts';
import type { ObjectKind } from '../object-kind.ts';
import type { HeapPorts } from '../ports.ts';
import type { HeapReader } from '../heap-reader.ts';
import type { HeapWriter } from '../heap-writer.ts';

const arrayBase = {
  prototype: arrayPrototype,
  matches: (object: object) => isArray(object),
  isBig: (object: object) => (object as unknown[]).length > PIECE_ENTRIES,
  isBare,
  isAccountedFor: isIndexOrLength,
  writeHeader: writeArrayLength,
  edges(object: object, edge: (label: string, value: unknown) => void): void {
    const names = namesOf(object);
    for (const name of names) {
      const descriptor = descriptorOf(object, name);
      if (descriptor !== undefined && 'value' in descriptor) edge(`[${name}]`, descriptor.value);
    }
  },
} satisfies Partial<ObjectKind>;

function isIndexOrLength(object: object, key: string): boolean {
  if (key === 'length') return descriptorOf(object, 'length')?.writable === true;
  return `${(key as unknown as number) >>> 0}` === key && key !== '4294967295';
}

/** Number of elements up to which checking each is as fast as asking the engine for all. */
const FEW_ELEMENTS = 8;
/** Number of elements from which it pays to check first whether the prototype chain may supply elements. */
const MANY_ELEMENTS = 1000;

const DENSE = 0;
const HOLEY = 1;
const SPARSE = 2;

/**
 * Returns how elements are written: `DENSE` if all exist, `HOLEY` if some are missing, `SPARSE` if most are missing or
 * one is not ordinary. Other properties do not matter.
 */
function densityOf(array: unknown[], ports: HeapPorts): typeof DENSE | typeof HOLEY | typeof SPARSE {
  const { length } = array;
  if (isPacked(array, ports)) return DENSE;
  if (descriptorOf(array, 'length')?.writable !== true) return SPARSE;
  if (length > FEW_ELEMENTS && hasOrdinaryElements(array, ports)) {
    let ordinaryCount = 0;
    const canReadDirectly = length > MANY_ELEMENTS && !mayInheritElements(array, ports);
    for (let i = 0; i < length; i++)
      if ((canReadDirectly && array[i] !== undefined) || hasOwn(array, i)) ordinaryCount++;
    return densityFor(ordinaryCount, length);
  }
  let present = 0;
  if (length > MANY_ELEMENTS && namesOf(array).length * 4 < length) return SPARSE;
  for (let i = 0; i < length; i++) {
    const descriptor = descriptorOf(array, i);
    if (descriptor === undefined) continue;
    if (descriptor.writable !== true || descriptor.enumerable !== true || descriptor.configurable !== true)
      return SPARSE;
    present++;
  }
  return densityFor(present, length);
}

function densityFor(present: number, length: number): typeof DENSE | typeof HOLEY | typeof SPARSE {
  if (present === length) return DENSE;
  if (length > MANY_ELEMENTS && (present + 1) * 4 < length) return SPARSE;
  return present * 4 > length ? HOLEY : SPARSE;
}

/** Returns whether the array has only elements and a length. */
function isBare(object: object, ports: HeapPorts): boolean {
  if (isBareArray(object, ports)) return true;
  const names = namesOf(object);
  return names[names.length - 1] === 'length';
}

function arrayKindOf(object: object, ports: HeapPorts): ObjectKind {
  const array = object as unknown[];
  const density = densityOf(array, ports);
  if (density === SPARSE) return sparseArrayKind;
  if (density === HOLEY) return holeyArrayKind;
  const { length } = array;
  if (length === 0) return generalArrayKind;
  // Arrays that end in a zero mostly end in many zeros.
  let end = length;
  while (end > 0 && is(array[end - 1], 0)) end--;
  let i = 0;
  for (; i < end; i++) {
    const value = array[i];
    if (typeof value !== 'number') return generalArrayKind;
    if ((value | 0) !== value || is(value, -0)) break;
  }
  if (i === end) return integerArrayKind;
  for (; i < end; i++) if (typeof array[i] !== 'number') return generalArrayKind;
  return doubleArrayKind;
}

function writeArrayLength(writer: HeapWriter, object: object): void {
  writer.varint((object as unknown[]).length);
}

interface PieceRange {
  readonly from: number;
  readonly end: number;
}

/** Writes elements in pieces, and returns the start of the next one. Long arrays go without trailing fillers. */
function writeInPieces(
  write: (writer: HeapWriter, value: unknown, array: unknown[], index: number) => void,
  trimming?: { readonly filler: unknown },
): NonNullable<ObjectKind['writeContents']> {
  return (writer, object, state) => {
    const array = object as unknown[];
    const { length } = array;
    let from = 0;
    let end = length;
    if (state !== undefined) ({ from, end } = state as PieceRange);
    else if (trimming !== undefined && isTrimmed(length)) {
      const { filler } = trimming;
      while (end > 0 && is(array[end - 1], filler)) end--;
      writer.varint(end);
    }
    const to = Math.min(end, from + PIECE_ENTRIES);
    for (let i = from; i < to; i++) write(writer, array[i], array, i);
    return to < end ? { from: to, end } : undefined;
  };
}

function readLength(reader: HeapReader, size: number): number {
  const { offset: start } = reader;
  const length = reader.varint();
  if (isTrimmed(length)) reader.takeMemory(length * 8);
  else reader.reserveItems(length, size, 'elements', start);
  return length;
}

/** Reads the number of written elements. All others are fillers. */
function readElementCount(reader: HeapReader, length: number): number {
  return isTrimmed(length) ? reader.index(length + 1, 'the number of elements') : length;
}

// Elements of unfinished arrays, on one packed stack, so that slices are packed too.
let valueStack: unknown[] = [];
let stackTop = 0;

export function resetValueStack(): void {
  valueStack = [];
  stackTop = 0;
}

export const generalArrayKind: ObjectKind = {
  ...arrayBase,
  tag: FIRST_KIND + 1,
  name: 'array',
  chooseKind: arrayKindOf,
  writeContents: writeInPieces((writer, value) => writer.value(value), { filler: undefined }),
  allocate(reader) {
    return packedArray(UNDEFINED_TEMPLATE, undefined, readLength(reader, 1));
  },
  fill(reader, object) {
    const array = object as unknown[];
    const end = readElementCount(reader, array.length);
    for (let i = 0; i < end; i++) array[i] = reader.value();
  },
  read(reader) {
    const length = readLength(reader, 1);
    if (length === 0) return [];
    const end = readElementCount(reader, length);
    const from = stackTop;
    for (let i = 0; i < end; i++) {
      const value = reader.value();
      valueStack[stackTop++] = value;
    }
    for (let i = end; i < length; i++) valueStack[stackTop++] = undefined;
    const array = sliceArray(valueStack, from, stackTop);
    // The stack must not keep elements alive.
    for (let i = from; i < stackTop; i++) valueStack[i] = undefined;
    stackTop = from;
    return array;
  },
};

const UNDEFINED_TEMPLATE: unknown[] = [];
const ZERO_TEMPLATE: unknown[] = [];
const DOUBLE_TEMPLATE: unknown[] = [];

/** Returns a packed array of the length: a slice of a template that grows as needed. */
function packedArray(template: unknown[], filler: unknown, length: number): unknown[] {
  if (length > 1 << 20) {
    const long: unknown[] = [];
    for (let i = 0; i < length; i++) long[i] = filler;
    return sliceArray(long, 0, length);
  }
  for (let i = template.length; i < length; i++) template[i] = filler;
  return sliceArray(template, 0, length);
}

export const integerArrayKind: ObjectKind = {
  ...arrayBase,
  tag: FIRST_KIND + 2,
  name: 'array of integers',
  writeContents: writeInPieces(
    (writer, value) => writer.varint((((value as number) << 1) ^ ((value as number) >> 31)) >>> 0),
    {
      filler: 0,
    },
  ),
  allocate(reader) {
    return packedArray(ZERO_TEMPLATE, 0, readLength(reader, 1));
  },
  fill(reader, object) {
    const array = object as number[];
    const end = readElementCount(reader, array.length);
    for (let i = 0; i < end; i++) array[i] = reader.integer();
  },
};

export const doubleArrayKind: ObjectKind = {
  ...arrayBase,
  tag: FIRST_KIND + 3,
  name: 'array of numbers',
  writeContents: writeInPieces((writer, value) => writer.double(value as number), { filler: 0 }),
  allocate(reader) {
    return packedArray(DOUBLE_TEMPLATE, 0.5, readLength(reader, 8));
  },
  fill(reader, object) {
    const array = object as number[];
    const { length } = array;
    const end = readElementCount(reader, length);
    for (let i = 0; i < end; i++) array[i] = reader.double();
    for (let i = end; i < length; i++) array[i] = 0;
  },
};

const holeyArrayKind: ObjectKind = {
  ...arrayBase,
  tag: FIRST_KIND + 4,
  name: 'array with holes',
  writeContents: writeInPieces((writer, value, array, index) => {
    // The prototype chain may supply a value for a hole.
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
      if (reader.skipHole()) continue;
      array[i] = reader.value();
    }
  },
};

const sparseArrayKind: ObjectKind = {
  ...arrayBase,
  tag: FIRST_KIND + 5,
  name: 'sparse array',
  isBare: () => false,
  isAccountedFor: (object, key) => key === 'length' && descriptorOf(object, 'length')?.writable === true,
  isBig: () => false,
  allocate(reader: HeapReader) {
    const length = reader.varint();
    if (length > 0xffffffff) throw reader.corrupt('the length of an array');
    const array: unknown[] = [];
    // Setting the length first uses dictionary elements, since the length must not determine memory.
    defineProperty(array, 'length', { value: length });
    return array;
  },
};

export const ARRAY_KINDS: readonly ObjectKind[] = [
  generalArrayKind,
  integerArrayKind,
  doubleArrayKind,
  holeyArrayKind,
  sparseArrayKind,
];
