// A layout: all objects that have the engine's shape of one that was looked at closely, an exemplar. Then they have its prototype, its
// keys with their attributes, its private members and nothing hidden, and their values can be read without asking for descriptors:
// there are no getters. That takes 10 ns an object in the place of 200 to 600. Only the engine can tell (`EngineView.sameShape`); where
// it does not, there are no layouts. Layouts never show in the bytes. Hot path: guarded by bench/heap.

import { enumerableKeys, hasOwn, is, mapForEach, mapSize, setForEach, setSize, timeOf } from './intrinsics.ts';
import { doubleArrayKind, generalArrayKind, integerArrayKind } from './kinds/array.ts';
import { mapKind, setKind } from './kinds/collections.ts';
import { dateKind } from './kinds/date-and-regexp.ts';
import { PIECE_ENTRIES } from './tags.ts';
import type { Family } from './family.ts';
import type { IdentitySet } from './identity-table.ts';
import type { ObjectKind } from './object-kind.ts';
import type { Shape } from './shape.ts';
import type { HeapWriter } from './heap-writer.ts';

/** Writes an object that is met for the first time; answers false, having written nothing, if it must be looked at closely after all. */
export type LayoutWriter = (writer: HeapWriter, object: object, layout: Layout) => boolean;

export interface Layout {
  readonly exemplar: object;
  readonly family: Family;
  /** Where its objects are entered. */
  readonly identitySet: IdentitySet;
  /** Of an object of own properties. */
  readonly shape: Shape | undefined;
  readonly write: LayoutWriter;
  /** For each place where an object can lead to others, the layout of the one that was there last. */
  readonly slotLayouts: Layout[];
}

class NoObject {
  readonly nothing = true;
}
/** The layout of nothing else: stands where none is known yet. */
const NO_LAYOUT: Layout = {
  exemplar: new NoObject(),
  family: undefined as never,
  identitySet: undefined as never,
  shape: undefined,
  write: () => false,
  slotLayouts: [],
};
/** As many are tried before an object is looked at closely. */
const MAX_RECENT_LAYOUTS = 4;

export function layoutOfShape(exemplar: object, shape: Shape): Layout | undefined {
  const { encodeWithLayout: encodeAlike, family, keys } = shape;
  if (encodeAlike === undefined) return undefined;
  const slotLayouts: Layout[] = [];
  for (let i = 0; i < keys.length; i++) slotLayouts[i] = NO_LAYOUT;
  const { identitySet } = family.isSimple ? shape : family;
  return { exemplar, family, identitySet, shape, write: encodeAlike, slotLayouts };
}

/** `kind`: of a bare object. */
export function layoutOfKind(exemplar: object, family: Family, kind: ObjectKind): Layout | undefined {
  const write =
    kind === dateKind
      ? writeDate
      : kind === mapKind
        ? writeMap
        : kind === setKind
          ? writeSet
          : isArrayKind(kind)
            ? writeArray
            : undefined;
  return write === undefined
    ? undefined
    : {
        exemplar,
        family,
        identitySet: family.identitySet,
        shape: undefined,
        write,
        slotLayouts: [NO_LAYOUT, NO_LAYOUT],
      };
}

function isArrayKind(kind: ObjectKind): boolean {
  return kind === generalArrayKind || kind === integerArrayKind || kind === doubleArrayKind;
}

/** Keeps the layouts that were met last, the newest first. */
export function rememberLayout({ layouts }: Family, layout: Layout): void {
  for (let i = layouts.length < MAX_RECENT_LAYOUTS ? layouts.length : MAX_RECENT_LAYOUTS - 1; i > 0; i--)
    layouts[i] = layouts[i - 1] as Layout;
  layouts[0] = layout;
}

/** The layout of the object, if it is one of those. */
export function findLayout(
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
  writer.byte(dateKind.tag);
  writer.double(timeOf(object as Date));
  return true;
}

function writeMap(writer: HeapWriter, object: object, { slotLayouts }: Layout): boolean {
  const size = mapSize(object);
  if (size > PIECE_ENTRIES || enumerableKeys(object).length !== 0) return false;
  writer.tagged(mapKind.tag, size);
  mapForEach(object as Map<unknown, unknown>, (value: unknown, key: unknown) => {
    writer.valueExpecting(slotLayouts, 0, key);
    writer.valueExpecting(slotLayouts, 1, value);
  });
  return true;
}

function writeSet(writer: HeapWriter, object: object, { slotLayouts }: Layout): boolean {
  const size = setSize(object);
  if (size > PIECE_ENTRIES || enumerableKeys(object).length !== 0) return false;
  writer.tagged(setKind.tag, size);
  setForEach(object as Set<unknown>, (value: unknown) => writer.valueExpecting(slotLayouts, 0, value));
  return true;
}

function writeArray(writer: HeapWriter, object: object, { slotLayouts }: Layout): boolean {
  const array = object as unknown[];
  const { length } = array;
  if (length > PIECE_ENTRIES) return false;
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
    writer.tagged(generalArrayKind.tag, length);
    for (let i = 0; i < length; i++) writer.valueExpecting(slotLayouts, 0, array[i]);
  } else if (areIntegers) {
    writer.tagged(integerArrayKind.tag, length);
    for (let i = 0; i < length; i++) {
      const value = array[i] as number;
      writer.varint(((value << 1) ^ (value >> 31)) >>> 0);
    }
  } else {
    writer.tagged(doubleArrayKind.tag, length);
    for (let i = 0; i < length; i++) writer.double(array[i] as number);
  }
  return true;
}
