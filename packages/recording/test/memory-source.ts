import type { ByteSource } from '../src/byte-source.ts';
import { damagedError } from '../src/recording-error.ts';

/** Bytes in memory. */
export function memorySource(bytes: Uint8Array, name: string): ByteSource {
  return {
    name,
    size: bytes.length,
    read(offset, length) {
      if (offset + length > bytes.length)
        throw damagedError(name, bytes.length, `${offset + length - bytes.length} more bytes`);
      return bytes.subarray(offset, offset + length);
    },
    close() {},
  };
}
