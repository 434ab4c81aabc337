// The ports of a heap in Node, from a realm and what only the host has. Nothing of Node is imported here: brand checks come in, what the
// engine keeps is asked of the realm's host, and `Buffer` is found where every program finds it.

import { codePorts, type CodeAdapters } from './code.ts';
import { bufferLength, bufferResizable } from './intrinsics.ts';
import { KnownObjects } from './known.ts';
import type { Realm } from '@turntable/core';
import type { Adapter, HeapPorts, TypeChecks } from './ports.ts';

export interface NodeParts {
  /** `util.types`. */
  readonly types: TypeChecks;
  readonly known?: KnownObjects;
  readonly code?: CodeAdapters;
  /** Others' adapters, after those of the code. */
  readonly adapters?: readonly Adapter[];
  readonly leaves?: ((fn: () => unknown) => boolean) | undefined;
}

interface BufferType {
  readonly poolSize: number;
  from(text: string): Uint8Array;
}

/** A pool is known by its size, which Node chooses and a program may change. */
function poolsOf(type: BufferType): (buffer: ArrayBuffer) => boolean {
  const size = bufferLength(type.from('pool').buffer);
  return (buffer) => {
    const length = bufferLength(buffer);
    return (length === size || length === type.poolSize) && !bufferResizable(buffer);
  };
}

export function nodePorts(realm: Realm, { types, known, code, adapters = [], leaves }: NodeParts): HeapPorts {
  const { engine } = realm.parts.host;
  const { Buffer: type } = globalThis as { Buffer?: BufferType };
  const ofCode = code === undefined ? {} : codePorts(code);
  return {
    realm,
    types,
    known: known ?? new KnownObjects(realm, { isProxy: types.isProxy }),
    ...ofCode,
    adapters: [...(ofCode.adapters ?? []), ...adapters],
    ...(leaves === undefined ? {} : { leaves }),
    ...(engine === undefined
      ? {}
      : { weakKeys: (collection) => engine.weakKeys(collection as never, Number.MAX_SAFE_INTEGER).keys }),
    ...(type === undefined ? {} : { isPool: poolsOf(type) }),
  };
}
