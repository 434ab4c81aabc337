// V8 throws optimised code away when a hidden class that it was made for dies, and the hidden classes of writers, readers, layouts and
// shapes die in every major collection between two captures, when there is none of these objects. Writing is half as fast until all
// is compiled again. So one of each is kept: what wrote and read a small graph of ours.

import { createAdapters } from './kinds/registry.ts';
import { HeapReader } from './heap-reader.ts';
import { HeapWriter } from './heap-writer.ts';
import type { RootPartition } from './identity-table.ts';
import type { HeapPorts } from './ports.ts';

function createSampleGraph(): unknown {
  const objects: object[] = [];
  // Enough of each for layouts.
  for (let i = 0; i < 6; i++) {
    const plain = { i, map: new Map([[i, {}]]), set: new Set([i]), bits: [1, 2], parts: [0.5, i / 3], none: undefined };
    objects[i] = { plain, again: plain, bare: Object.create(null) as object, frozen: Object.freeze({ i }) };
  }
  return { objects, again: objects };
}

/** Made before there is a program, whose changes to `Map` or `Object` would be called otherwise. */
const sampleGraph = createSampleGraph();
let captureCount = 0;
const kept: [HeapWriter?, HeapReader?] = [];

/** Called after each capture; V8 goes on refining hidden classes for a while, so the kept ones are renewed now and then. */
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
    // What a program has made of its realm may stand against it; then the code is compiled again.
  }
}
