// Reads a state whose texts may name places that have moved: each text is asked for, wherever it stands. A class of its own, so that others
// do not pay for it.

import { HeapReader, type ReadOptions } from './reader.ts';
import { adaptersOf } from './kinds/registry.ts';
import type { HeapPorts } from './ports.ts';

class RenamingReader extends HeapReader {
  override short(length: number): string {
    return here(this, super.short(length));
  }

  override narrow(): string {
    return here(this, super.narrow());
  }

  override wide(): string {
    return here(this, super.wide());
  }

  override earlierString(): string {
    return here(this, super.earlierString());
  }
}

function here({ ports }: HeapReader, text: string): string {
  return ports.renames?.(text) ?? text;
}

export function readerOf(ports: HeapPorts, bytes: Uint8Array, options?: ReadOptions): HeapReader {
  return new (ports.renames === undefined ? HeapReader : RenamingReader)(ports, adaptersOf(ports), bytes, options);
}
