// Reads a state whose texts may name moved locations. Each text passes through `relocateString`. A separate class, so
// that other reads do not pay for it.

import { HeapReader, type HeapReadOptions } from './heap-reader.ts';
import { createAdapters } from './kinds/registry.ts';
import type { HeapPorts } from './ports.ts';

class RelocatingReader extends HeapReader {
  override shortString(length: number): string {
    return relocate(this, super.shortString(length));
  }

  override narrowString(): string {
    return relocate(this, super.narrowString());
  }

  override wideString(): string {
    return relocate(this, super.wideString());
  }

  override earlierString(): string {
    return relocate(this, super.earlierString());
  }
}

function relocate({ ports }: HeapReader, value: string): string {
  return ports.relocateString?.(value) ?? value;
}

export function createReader(ports: HeapPorts, bytes: Uint8Array, options?: HeapReadOptions): HeapReader {
  return new (ports.relocateString === undefined ? HeapReader : RelocatingReader)(
    ports,
    createAdapters(ports),
    bytes,
    options,
  );
}
