// Codecs that write and read the graph. Ours gets the ports that a program has: adapters for the graph's classes and
// the engine view, without which every object takes the slow path.

import { types } from 'node:util';
import { deserialize, serialize } from 'node:v8';
import { createRealm } from '@turntable/core';
import { Heap, KnownObjects, type ObjectAdapter } from '@turntable/heap';
import { createEngineView } from '../../packages/loader/src/realm/engine-view.ts';
import { Decoder, Encoder } from 'cbor-x';
import { Packr } from 'msgpackr';
import { CLASSES } from './airline.ts';

export interface Codec {
  write(root: unknown): unknown;
  read(written: never): unknown;
}

const classes: ObjectAdapter = {
  name: 'classes of the bench',
  appliesTo: 'functions',
  takeApart(value) {
    const index = CLASSES.indexOf(value as never);
    return index < 0
      ? undefined
      : { kind: index, header: [], contents: [], initialProperties: Object.getOwnPropertyDescriptors(value) };
  },
  allocate: (kind) => CLASSES[kind]!,
  fill: () => undefined,
};

const prototypes: ObjectAdapter = {
  name: 'prototypes of the bench',
  appliesTo: 'objects',
  isForAnyPrototype: true,
  takeApart(value) {
    const index = CLASSES.findIndex((type) => type.prototype === value);
    return index < 0
      ? undefined
      : { kind: index, header: [], contents: [], initialProperties: Object.getOwnPropertyDescriptors(value) };
  },
  allocate: (kind) => CLASSES[kind]!.prototype,
  fill: () => undefined,
};

function heap(hasEngine: boolean): Codec {
  const realm = createRealm({ queueMicrotask, ...(hasEngine ? { engine: createEngineView() } : {}) });
  const known = new KnownObjects(realm, { isProxy: types.isProxy });
  const heap = new Heap({ realm, types, known, adapters: [classes, prototypes] });
  return { write: (root) => heap.write(root), read: (bytes: Uint8Array) => heap.read(bytes) };
}

function json(): Codec {
  return {
    write: (root) =>
      JSON.stringify(root, (key, value: unknown) =>
        value instanceof Map
          ? [...value]
          : value instanceof Set
            ? [...value]
            : key === 'flight' || key === 'departures'
              ? undefined
              : value,
      ),
    read: (text: string) => JSON.parse(text) as unknown,
  };
}

function msgpackr(): Codec {
  const packr = new Packr({ structuredClone: true, useRecords: true, moreTypes: true });
  return { write: (root) => packr.pack(root), read: (bytes: Buffer) => packr.unpack(bytes) as unknown };
}

function cborX(): Codec {
  const options = { structuredClone: true, useRecords: true };
  const encoder = new Encoder(options);
  const decoder = new Decoder(options);
  return { write: (root) => encoder.encode(root), read: (bytes: Buffer) => decoder.decode(bytes) as unknown };
}

export const CODECS: Readonly<Record<string, () => Codec>> = {
  'v8.serialize': () => ({ write: serialize, read: deserialize }),
  heap: () => heap(true),
  'heap, no engine view': () => heap(false),
  structuredClone: () => ({ write: (root) => structuredClone(root), read: (clone) => clone }),
  msgpackr,
  'cbor-x': cborX,
  JSON: json,
};
