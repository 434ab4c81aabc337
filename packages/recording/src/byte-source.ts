// Where a reader's bytes come from. Reading behind the end is an error of the source's, never fewer bytes.

import { damaged } from './recording-error.ts';

export interface ByteSource {
  /** What errors call it. */
  readonly name: string;
  readonly size: number;
  read(offset: number, length: number): Uint8Array;
  close(): void;
}

/** Bytes in memory. */
export function memorySource(bytes: Uint8Array, name: string): ByteSource {
  return {
    name,
    size: bytes.length,
    read(offset, length) {
      if (offset + length > bytes.length)
        throw damaged(name, bytes.length, `${offset + length - bytes.length} more bytes`);
      return bytes.subarray(offset, offset + length);
    },
    close() {},
  };
}
