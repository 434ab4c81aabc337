// Map and Set, with entries in order. Big ones are written in pieces with the native iterator, which keeps its place.

import {
  mapEntries,
  mapForEach,
  mapIteratorNext,
  mapSet,
  mapSize,
  hasNoStringKeys,
  passesBrandCheck,
  setAdd,
  setForEach,
  setIteratorNext,
  setSize,
  setValues,
} from '../intrinsics.ts';
import { FIRST_KIND, PIECE_ENTRIES } from '../tags.ts';
import type { ObjectKind } from '../object-kind.ts';

/** Writes the next entries of a native iterator. Returns the iterator unless it has ended. */
function writePiece<T>(iterator: object, next: (iterator: object) => IteratorResult<T>, write: (entry: T) => void) {
  for (let i = 0; i < PIECE_ENTRIES; i++) {
    const { done, value } = next(iterator);
    if (done === true) return undefined;
    write(value as T);
  }
  return iterator;
}

export const mapKind: ObjectKind = {
  tag: FIRST_KIND + 6,
  name: 'Map',
  prototype: Map.prototype,
  matches: (object) => passesBrandCheck(mapSize, object),
  isBare: hasNoStringKeys,
  isBig: (object) => mapSize(object) > PIECE_ENTRIES,
  writeContents(writer, object, state) {
    const entries = object as Map<unknown, unknown>;
    if (state === undefined) {
      const size = mapSize(entries);
      writer.varint(size);
      if (size <= PIECE_ENTRIES) {
        mapForEach(entries, (value: unknown, key: unknown) => {
          writer.value(key);
          writer.value(value);
        });
        return undefined;
      }
    }
    return writePiece((state as object | undefined) ?? mapEntries(entries), mapIteratorNext, (entry) => {
      writer.value(entry[0]);
      writer.value(entry[1]);
    });
  },
  allocate: () => new Map(),
  fill(reader, object) {
    const count = reader.count(2, 'entries');
    for (let i = 0; i < count; i++) {
      const key = reader.value();
      mapSet(object as Map<unknown, unknown>, key, reader.value());
    }
    if (mapSize(object) !== count) throw reader.corrupt('entries with different keys');
  },
  edges(object, edge) {
    let index = 0;
    mapForEach(object as Map<unknown, unknown>, (value: unknown, key: unknown) => {
      edge(` key #${index}`, key);
      edge(typeof key === 'string' ? `.get(${JSON.stringify(key)})` : ` value #${index}`, value);
      index++;
    });
  },
};

export const setKind: ObjectKind = {
  tag: FIRST_KIND + 7,
  name: 'Set',
  prototype: Set.prototype,
  matches: (object) => passesBrandCheck(setSize, object),
  isBare: hasNoStringKeys,
  isBig: (object) => setSize(object) > PIECE_ENTRIES,
  writeContents(writer, object, state) {
    const members = object as Set<unknown>;
    if (state === undefined) {
      const size = setSize(members);
      writer.varint(size);
      if (size <= PIECE_ENTRIES) {
        setForEach(members, (value: unknown) => writer.value(value));
        return undefined;
      }
    }
    const iterator = (state as object | undefined) ?? setValues(members);
    return writePiece(iterator, setIteratorNext, (member) => writer.value(member));
  },
  allocate: () => new Set(),
  fill(reader, object) {
    const count = reader.count(1, 'members');
    for (let i = 0; i < count; i++) setAdd(object as Set<unknown>, reader.value());
    if (setSize(object) !== count) throw reader.corrupt('different members');
  },
  edges(object, edge) {
    let index = 0;
    setForEach(object as Set<unknown>, (value: unknown) => edge(` member #${index++}`, value));
  },
};

export const COLLECTION_KINDS: readonly ObjectKind[] = [mapKind, setKind];
