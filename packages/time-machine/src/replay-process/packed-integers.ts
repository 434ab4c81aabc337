// Lists of integers as texts, for messages in JSON. Long lists are compressed: a list of a statement trace has millions
// of elements, mostly from loops, so the differences between neighbours are packed.
import { Buffer } from 'node:buffer';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** A letter for the encoding, and 32-bit integers in base64. */
export type PackedIntegers = string;

const MIN_COMPRESSED_BYTES = 16_384;
const PLAIN = 'p';
const COMPRESSED = 'c';

export function packIntegers(integers: Int32Array): PackedIntegers {
  const differences = new Int32Array(integers.length);
  let last = 0;
  for (let i = 0; i < integers.length; i++) {
    differences[i] = (integers[i] as number) - last;
    last = integers[i] as number;
  }
  const bytes = Buffer.from(differences.buffer);
  if (bytes.length < MIN_COMPRESSED_BYTES) return PLAIN + bytes.toString('base64');
  return COMPRESSED + deflateRawSync(bytes, { level: 1 }).toString('base64');
}

export function unpackIntegers(packed: PackedIntegers): Int32Array {
  const encoded = Buffer.from(packed.slice(1), 'base64');
  const bytes = packed.startsWith(COMPRESSED) ? inflateRawSync(encoded) : encoded;
  // A copy, because an Int32Array needs an aligned offset.
  const integers = new Int32Array(new Uint8Array(bytes).buffer);
  for (let i = 1; i < integers.length; i++) integers[i] = (integers[i] as number) + (integers[i - 1] as number);
  return integers;
}
