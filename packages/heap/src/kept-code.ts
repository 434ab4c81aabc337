// V8 throws optimised code away when a hidden class that it was made for dies, and the hidden classes of writers, readers, layouts and
// shapes die in every major collection between two captures, when there is none of these objects. Writing is half as fast until all
// is compiled again. So one of each is kept: what wrote and read a small graph of ours.

import { adaptersOf } from './kinds/registry.ts';
import { HeapReader } from './reader.ts';
import { HeapWriter } from './writer.ts';
import type { Division } from './identities.ts';
import type { HeapPorts } from './ports.ts';

function graph(): unknown {
  const objects: object[] = [];
  // Enough of each for layouts.
  for (let i = 0; i < 6; i++) {
    const plain = { i, map: new Map([[i, {}]]), set: new Set([i]), bits: [1, 2], parts: [0.5, i / 3], none: undefined };
    objects[i] = { plain, again: plain, bare: Object.create(null) as object, frozen: Object.freeze({ i }) };
  }
  return { objects, again: objects };
}

/** Made before there is a program, whose changes to `Map` or `Object` would be called otherwise. */
const sample = graph();
let captures = 0;
const kept: [HeapWriter?, HeapReader?] = [];

/** Called after each capture; V8 goes on refining hidden classes for a while, so the kept ones are renewed now and then. */
export function keepCode(ports: HeapPorts, division: Division): void {
  captures++;
  if ((captures & (captures - 1)) !== 0) return;
  try {
    const writer = new HeapWriter(ports, 1 << 12, division);
    writer.start(sample, []);
    writer.run(Infinity);
    const reader = new HeapReader(ports, adaptersOf(ports), writer.finish());
    reader.read();
    kept[0] = writer;
    kept[1] = reader;
  } catch {
    // What a program has made of its realm may stand against it; then the code is compiled again.
  }
}
