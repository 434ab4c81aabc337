// Kinds that the host would bring to life: targets of events and their listeners, signals, weak collections. In an inert graph they are
// read into plain objects instead.

import { KIND_BY_TAG } from '../kinds/registry.ts';
import { builtInPrototype, objectOf, weakCollection } from './stand-ins.ts';
import type { Kind } from '../kind.ts';
import type { HeapReader, Kinds } from '../reader.ts';

type InertKind = Pick<Kind, 'name' | 'allocate' | 'fill'>;

const REMOVAL = 2;
/** Flags of a signal. */
const ABORTED = 1;
const SOURCES = 2;
/** Of an event. */
const CUSTOM = 128;

function readListeners(reader: HeapReader): Record<string, unknown[]> {
  const listeners: Record<string, unknown[]> = {};
  reader.value();
  reader.byte();
  for (let types = reader.count(4, 'types of events'); types > 0; types--) {
    const type = reader.text();
    reader.varint();
    reader.byte();
    const list: unknown[] = [];
    for (let left = reader.count(3, 'listeners'); left > 0; left--) {
      reader.byte();
      if (reader.byte() !== REMOVAL) list.push(reader.value());
      else {
        const removal = { removes: reader.value(), type: reader.value(), listener: reader.value() };
        list.push(removal);
        reader.byte();
      }
    }
    Object.defineProperty(listeners, type, { value: list, enumerable: true, configurable: true, writable: true });
  }
  return listeners;
}

function readAll(reader: HeapReader): unknown[] {
  const all: unknown[] = [];
  for (let left = reader.count(1, 'signals'); left > 0; left--) all.push(reader.value());
  return all;
}

const KINDS: readonly InertKind[] = [
  { name: 'WeakMap', allocate: () => weakCollection('map') },
  { name: 'WeakSet', allocate: () => weakCollection('set') },
  {
    // Those of strict functions throw where they are asked for `callee`.
    name: 'arguments',
    allocate(reader) {
      reader.byte();
      return objectOf('Arguments');
    },
  },
  {
    name: 'EventTarget',
    allocate: () => objectOf('EventTarget'),
    fill: (reader, object) => void Object.assign(object, { listeners: readListeners(reader) }),
  },
  {
    name: 'AbortSignal',
    allocate(reader) {
      reader.byte();
      return objectOf('AbortSignal');
    },
    fill(reader, object) {
      const flags = reader.byte();
      const aborted = (flags & ABORTED) !== 0;
      const reason = aborted ? reader.value() : undefined;
      const sources = (flags & SOURCES) === 0 ? [] : readAll(reader);
      const dependants = readAll(reader);
      Object.assign(object, { aborted, reason, sources, dependants, listeners: readListeners(reader) });
    },
  },
  {
    name: 'AbortController',
    allocate: (reader) => objectOf('AbortController', { signal: reader.reference() }),
  },
  {
    name: 'Event',
    allocate(reader) {
      const type = reader.text();
      const flags = reader.byte();
      const isCustom = (flags & CUSTOM) !== 0;
      return objectOf(isCustom ? 'CustomEvent' : 'Event', {
        type,
        timeStamp: reader.double(),
        ...(isCustom && { detail: undefined }),
      });
    },
    fill(reader, object) {
      Object.assign(object, { target: reader.value() });
      if ('detail' in object) Object.assign(object, { detail: reader.value() });
    },
  },
];

/** All kinds, with these in their places. */
export const INERT_KINDS: Kinds = KIND_BY_TAG.map((kind) => KINDS.find(({ name }) => name === kind?.name) ?? kind);

/** What stands for the prototypes of these. */
export const REPLACED: ReadonlyMap<object, object> = new Map<object, object>(
  [WeakMap, WeakSet, EventTarget, AbortSignal, AbortController, Event].map(({ name, prototype }) => [
    prototype,
    builtInPrototype(`${name}.prototype`),
  ]),
);
