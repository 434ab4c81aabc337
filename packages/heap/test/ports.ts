// Ports for tests: a realm of core over a passive host, with brand checks from Node.
import { types } from 'node:util';
import { createRealm } from '@turntable/core';
import { Heap, KnownObjects } from '@turntable/heap';
import { manualHost } from '../../core/test/manual-host.ts';
import { createEngineView } from '../../loader/src/realm/engine-view.ts';
import type { HeapPorts } from '@turntable/heap';
import type { ManualHost } from '../../core/test/manual-host.ts';

export interface TestWorld {
  readonly host: ManualHost;
  readonly ports: HeapPorts;
  readonly heap: Heap;
}

/** A heap with its own realm. `make` may add ports that need the realm. Without the engine, every object is checked. */
export function testWorld(make: (ports: HeapPorts) => Partial<HeapPorts> = () => ({}), hasEngine = true): TestWorld {
  const host = manualHost();
  const realm = createRealm(hasEngine ? { ...host, engine: createEngineView() } : host);
  const plain: HeapPorts = { realm, types, known: new KnownObjects(realm, { isProxy: types.isProxy }) };
  const ports = { ...plain, ...make(plain) };
  return { host, ports, heap: new Heap(ports) };
}

/** Writes the value and reads it back in the same realm. */
export function copyOf<T>(world: TestWorld, root: T): T {
  return world.heap.read(world.heap.write(root)) as T;
}
