// A layout: all objects with the engine's shape of an exemplar that was fully checked. They share its prototype, keys,
// attributes and private members, and have no hidden state, so their values can be read without descriptors, which
// takes 10 ns per object instead of 200 to 600. Needs `EngineView.sameShape`; the bytes do not depend on layouts. Hot
// path: guarded by bench/heap.

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

/** Writes an object met for the first time. Returns false, having written nothing, if it needs the full check. */
export type LayoutWriter = (writer: HeapWriter, object: object, layout: Layout) => boolean;

export interface Layout {
  readonly exemplar: object;
  readonly family: Family;
  /** Set to which objects of the layout are added. */
  readonly identitySet: IdentitySet;
  /** Shape of the objects, if they have only own properties; otherwise undefined. */
  readonly shape: Shape | undefined;
  readonly write: LayoutWriter;
  /** For each field, or for keys and values: the layout of the last object there, as a guess for the next one. */
  readonly slotLayouts: Layout[];
}

class NoObject {
  readonly nothing = true;
}
/** Layout of no object, for slots without a guess. */
const NO_LAYOUT: Layout = {
  exemplar: new NoObject(),
  family: undefined as never,
  identitySet: undefined as never,
  shape: undefined,
  write: () => false,
  slotLayouts: [],
};
/** Maximum number of layouts that are tried before the full check. */
const MAX_RECENT_LAYOUTS = 4;

export function layoutOfShape(exemplar: object, shape: Shape): Layout | undefined {
  const { encodeWithLayout: encodeAlike, family, keys } = shape;
  if (encodeAlike === undefined) return undefined;
  const slotLayouts: Layout[] = [];
  for (let i = 0; i < keys.length; i++) slotLayouts[i] = NO_LAYOUT;
  const { identitySet } = family.isSimple ? shape : family;
  return { exemplar, family, identitySet, shape, write: encodeAlike, slotLayouts };
}

/** Returns a layout for bare objects of a kind; undefined if the kind has none. @param kind kind of the exemplar */
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

/** Keeps the most recent layouts, newest first. */
export function rememberLayout({ layouts }: Family, layout: Layout): void {
  for (let i = layouts.length < MAX_RECENT_LAYOUTS ? layouts.length : MAX_RECENT_LAYOUTS - 1; i > 0; i--)
    layouts[i] = layouts[i - 1] as Layout;
  layouts[0] = layout;
}

/** Returns the layout of the object among the recent ones; undefined if none fits. */
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
