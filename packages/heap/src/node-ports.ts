// Heap ports for Node, from a realm and facilities of the host. Imports nothing of Node: brand checks are passed in,
// the realm's host provides the engine's view, and `Buffer` is the global one.

import { codePorts, type CodeAdapters } from './code-adapters.ts';
import { bufferLength, bufferResizable } from './intrinsics.ts';
import { KnownObjects } from './known-objects.ts';
import type { Realm } from '@turntable/core';
import type { ObjectAdapter, HeapPorts, TypeChecks } from './ports.ts';

export interface NodePortsDeps {
  /** `util.types`. */
  readonly types: TypeChecks;
  readonly known?: KnownObjects;
  readonly code?: CodeAdapters;
  /** Further adapters, placed after the adapters of code. */
  readonly adapters?: readonly ObjectAdapter[];
  readonly isOmitted?: ((fn: () => unknown) => boolean) | undefined;
}

interface NativeBuffer {
  readonly poolSize: number;
  from(text: string): Uint8Array;
}

/** Creates a check that recognises pools by their size: the size of the first pool, or the current `poolSize`. */
function createPoolCheck(type: NativeBuffer): (buffer: ArrayBuffer) => boolean {
  const size = bufferLength(type.from('pool').buffer);
  return (buffer) => {
    const length = bufferLength(buffer);
    return (length === size || length === type.poolSize) && !bufferResizable(buffer);
  };
}

export function createNodePorts(
  realm: Realm,
  { types, known, code, adapters = [], isOmitted }: NodePortsDeps,
): HeapPorts {
  const { engine } = realm.parts.host;
  const { Buffer: type } = globalThis as { Buffer?: NativeBuffer };
  const codePortsOf = code === undefined ? {} : codePorts(code);
  return {
    realm,
    types,
    known: known ?? new KnownObjects(realm, { isProxy: types.isProxy }),
    ...codePortsOf,
    adapters: [...(codePortsOf.adapters ?? []), ...adapters],
    ...(isOmitted === undefined ? {} : { isOmitted }),
    ...(engine === undefined
      ? {}
      : { weakKeys: (collection) => engine.weakKeys(collection as never, Number.MAX_SAFE_INTEGER).keys }),
    ...(type === undefined ? {} : { isPool: createPoolCheck(type) }),
  };
}
