// A layout: all objects that have the engine's shape of one that was looked at closely, an exemplar. Then they have its prototype, its
// keys with their attributes, its private members and nothing hidden, and their values can be read without asking for descriptors:
// there are no getters. That takes 10 ns an object in the place of 200 to 600. Only the engine can tell (`EngineView.sameShape`); where
// it does not, there are no layouts. Layouts never show in the bytes. Hot path: guarded by bench/heap.

import { enumerableKeys, hasOwn, is, mapForEach, mapSize, setForEach, setSize, timeOf } from './intrinsics.ts';
import { doubles, general, integers } from './kinds/array.ts';
import { map, set } from './kinds/collections.ts';
import { date } from './kinds/date-and-regexp.ts';
import { PIECE } from './tags.ts';
import type { Family } from './family.ts';
import type { Identities } from './identities.ts';
import type { Kind } from './kind.ts';
import type { Shape } from './shape.ts';
import type { HeapWriter } from './writer.ts';

/** Writes an object that is met for the first time; answers false, having written nothing, if it must be looked at closely after all. */
export type LayoutWriter = (writer: HeapWriter, object: object, layout: Layout) => boolean;

export interface Layout {
  readonly exemplar: object;
  readonly family: Family;
  /** Where its objects are entered. */
  readonly identities: Identities;
  /** Of an object of own properties. */
  readonly shape: Shape | undefined;
  readonly write: LayoutWriter;
  /** For each place where an object can lead to others, the layout of the one that was there last. */
  readonly last: Layout[];
}

class Nothing {
  readonly nothing = true;
}
/** The layout of nothing else: stands where none is known yet. */
const NONE: Layout = {
  exemplar: new Nothing(),
  family: undefined as never,
  identities: undefined as never,
  shape: undefined,
  write: () => false,
  last: [],
};
/** As many are tried before an object is looked at closely. */
const RECENT = 4;

export function layoutOfShape(exemplar: object, shape: Shape): Layout | undefined {
  const { encodeAlike, family, keys } = shape;
  if (encodeAlike === undefined) return undefined;
  const last: Layout[] = [];
  for (let i = 0; i < keys.length; i++) last[i] = NONE;
  const { identities } = family.simple ? shape : family;
  return { exemplar, family, identities, shape, write: encodeAlike, last };
}

/** `kind`: of a bare object. */
export function layoutOfKind(exemplar: object, family: Family, kind: Kind): Layout | undefined {
  const write =
    kind === date
      ? writeDate
      : kind === map
        ? writeMap
        : kind === set
          ? writeSet
          : isArrayKind(kind)
            ? writeArray
            : undefined;
  return write === undefined
    ? undefined
    : { exemplar, family, identities: family.identities, shape: undefined, write, last: [NONE, NONE] };
}

function isArrayKind(kind: Kind): boolean {
  return kind === general || kind === integers || kind === doubles;
}

/** Keeps the layouts that were met last, the newest first. */
export function remember({ layouts }: Family, layout: Layout): void {
  for (let i = layouts.length < RECENT ? layouts.length : RECENT - 1; i > 0; i--) layouts[i] = layouts[i - 1] as Layout;
  layouts[0] = layout;
}

/** The layout of the object, if it is one of those. */
export function recall(
  { layouts }: Family,
  object: object,
  sameShape: (a: object, b: object) => boolean,
): Layout | undefined {
  for (let i = 0; i < layouts.length; i++) {
    const layout = layouts[i] as Layout;
    if (sameShape(object, layout.exemplar)) return layout;
  }
  return undefined;
}

function writeDate(writer: HeapWriter, object: object): boolean {
  if (enumerableKeys(object).length !== 0) return false;
  writer.byte(date.tag);
  writer.double(timeOf(object as Date));
  return true;
}

function writeMap(writer: HeapWriter, object: object, { last }: Layout): boolean {
  const size = mapSize(object);
  if (size > PIECE || enumerableKeys(object).length !== 0) return false;
  writer.tagged(map.tag, size);
  mapForEach(object as Map<unknown, unknown>, (value: unknown, key: unknown) => {
    writer.valueAt(last, 0, key);
    writer.valueAt(last, 1, value);
  });
  return true;
}

function writeSet(writer: HeapWriter, object: object, { last }: Layout): boolean {
  const size = setSize(object);
  if (size > PIECE || enumerableKeys(object).length !== 0) return false;
  writer.tagged(set.tag, size);
  setForEach(object as Set<unknown>, (value: unknown) => writer.valueAt(last, 0, value));
  return true;
}

function writeArray(writer: HeapWriter, object: object, { last }: Layout): boolean {
  const array = object as unknown[];
  const { length } = array;
  if (length > PIECE) return false;
  let areNumbers = length > 0;
  let areIntegers = true;
  for (let i = 0; i < length; i++) {
    const value = array[i];
    if (typeof value === 'number') areIntegers &&= (value | 0) === value && (value !== 0 || !is(value, -0));
    else {
      areNumbers = false;
      if (value === undefined && !hasOwn(array, i)) return false;
    }
  }
  if (!areNumbers) {
    writer.tagged(general.tag, length);
    for (let i = 0; i < length; i++) writer.valueAt(last, 0, array[i]);
  } else if (areIntegers) {
    writer.tagged(integers.tag, length);
    for (let i = 0; i < length; i++) {
      const value = array[i] as number;
      writer.varint(((value << 1) ^ (value >> 31)) >>> 0);
    }
  } else {
    writer.tagged(doubles.tag, length);
    for (let i = 0; i < length; i++) writer.double(array[i] as number);
  }
  return true;
}
