// Kinds whose objects would be active on the host: event targets, listeners, signals, weak collections. An inert graph
// has plain objects in their place.

import { KIND_BY_TAG } from '../kinds/registry.ts';
import { builtInPrototype, createStandIn, createWeakCollection } from './stand-ins.ts';
import type { ObjectKind } from '../object-kind.ts';
import type { HeapReader, KindReaders } from '../heap-reader.ts';

type InertKind = Pick<ObjectKind, 'name' | 'allocate' | 'fill'>;

const REMOVAL = 2;
// Flags of a signal.
const ABORTED = 1;
const HAS_SOURCES = 2;
// Flag of an event.
const CUSTOM_EVENT = 128;

function readListeners(reader: HeapReader): Record<string, unknown[]> {
  const listeners: Record<string, unknown[]> = {};
  reader.value();
  reader.byte();
  for (let types = reader.count(4, 'types of events'); types > 0; types--) {
    const type = reader.stringValue();
    reader.varint();
    reader.byte();
    const entries: unknown[] = [];
    for (let remaining = reader.count(3, 'listeners'); remaining > 0; remaining--) {
      reader.byte();
      if (reader.byte() !== REMOVAL) entries.push(reader.value());
      else {
        const removal = { removes: reader.value(), type: reader.value(), listener: reader.value() };
        entries.push(removal);
        reader.byte();
      }
    }
    Object.defineProperty(listeners, type, { value: entries, enumerable: true, configurable: true, writable: true });
  }
  return listeners;
}

function readValues(reader: HeapReader): unknown[] {
  const values: unknown[] = [];
  for (let remaining = reader.count(1, 'signals'); remaining > 0; remaining--) values.push(reader.value());
  return values;
}

const INERT_OVERRIDES: readonly InertKind[] = [
  { name: 'WeakMap', allocate: () => createWeakCollection('map') },
  { name: 'WeakSet', allocate: () => createWeakCollection('set') },
  {
    // The engine's own object would have a `callee` that throws when it is read.
    name: 'arguments',
    allocate(reader) {
      reader.byte();
      return createStandIn('Arguments');
    },
  },
  {
    name: 'EventTarget',
    allocate: () => createStandIn('EventTarget'),
    fill: (reader, object) => void Object.assign(object, { listeners: readListeners(reader) }),
  },
  {
    name: 'AbortSignal',
    allocate(reader) {
      reader.byte();
      return createStandIn('AbortSignal');
    },
    fill(reader, object) {
      const flags = reader.byte();
      const aborted = (flags & ABORTED) !== 0;
      const reason = aborted ? reader.value() : undefined;
      const sources = (flags & HAS_SOURCES) === 0 ? [] : readValues(reader);
      const dependants = readValues(reader);
      Object.assign(object, { aborted, reason, sources, dependants, listeners: readListeners(reader) });
    },
  },
  {
    name: 'AbortController',
    allocate: (reader) => createStandIn('AbortController', { signal: reader.objectValue() }),
  },
  {
    name: 'Event',
    allocate(reader) {
      const type = reader.stringValue();
      const flags = reader.byte();
      const isCustom = (flags & CUSTOM_EVENT) !== 0;
      return createStandIn(isCustom ? 'CustomEvent' : 'Event', {
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

/** All kinds, with these overrides. */
export const INERT_KINDS: KindReaders = KIND_BY_TAG.map(
  (kind) => INERT_OVERRIDES.find(({ name }) => name === kind?.name) ?? kind,
);

/** Stand-ins for the prototypes of these kinds. */
export const REPLACED_PROTOTYPES: ReadonlyMap<object, object> = new Map<object, object>(
  [WeakMap, WeakSet, EventTarget, AbortSignal, AbortController, Event].map(({ name, prototype }) => [
    prototype,
    builtInPrototype(`${name}.prototype`),
  ]),
);
