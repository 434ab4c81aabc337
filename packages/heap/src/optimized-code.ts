// V8 discards optimised code when one of its hidden classes dies. The hidden classes of writers, readers, layouts and
// shapes would die in every major collection between captures, and writing would be half as fast until all code is
// compiled again. So the writer and the reader of a small sample graph are kept alive.

import { createAdapters } from './kinds/registry.ts';
import { HeapReader } from './heap-reader.ts';
import { HeapWriter } from './heap-writer.ts';
import type { RootPartition } from './identity-table.ts';
import type { HeapPorts } from './ports.ts';

function createSampleGraph(): unknown {
  const objects: object[] = [];
  // Enough objects of each kind to get layouts.
  for (let i = 0; i < 6; i++) {
    const plain = { i, map: new Map([[i, {}]]), set: new Set([i]), bits: [1, 2], parts: [0.5, i / 3], none: undefined };
    objects[i] = { plain, again: plain, bare: Object.create(null) as object, frozen: Object.freeze({ i }) };
  }
  return { objects, again: objects };
}

/** Created before the program can change `Map` or `Object`. */
const sampleGraph = createSampleGraph();
let captureCount = 0;
const kept: [HeapWriter?, HeapReader?] = [];

/** Must be called after each capture. Renews the kept objects at times, because V8 refines hidden classes. */
export function keepOptimizedCode(ports: HeapPorts, partition: RootPartition): void {
  captureCount++;
  if ((captureCount & (captureCount - 1)) !== 0) return;
  try {
    const writer = new HeapWriter(ports, 1 << 12, partition);
    writer.start(sampleGraph, []);
    writer.run(Infinity);
    const reader = new HeapReader(ports, createAdapters(ports), writer.finish());
    reader.read();
    kept[0] = writer;
    kept[1] = reader;
  } catch {
    // The program's changes to its realm may prevent this; then V8 compiles the code again.
  }
}
