// Reads the manifest, the first file of a packed recording, with a limit on its size.
import { MAX_MANIFEST_BYTES } from '../manifest.ts';
import { damagedPackError, PACKED_HEADER_BYTES } from './packed-format.ts';
import type { PackedPiece } from './packed-reader.ts';

/** @param pieces of the packed recording; the iterator then yields those after the manifest */
export function readPackedManifest(pieces: Iterator<PackedPiece, void>, file: string): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let length = 0; ;) {
    const { value } = pieces.next();
    if (value === undefined) throw damagedPackError(file, PACKED_HEADER_BYTES, 'a manifest');
    const { bytes, isLast } = value as PackedPiece;
    parts.push(bytes);
    length += bytes.length;
    if (length > MAX_MANIFEST_BYTES)
      throw damagedPackError(file, PACKED_HEADER_BYTES, `a manifest of at most ${MAX_MANIFEST_BYTES} bytes`);
    if (isLast) return Buffer.concat(parts);
  }
}
