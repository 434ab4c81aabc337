// First and last eight bytes of a state: format, checksum, and the offset of the footer. Everything known only at the
// end is in the footer, so that writing never waits.

import { ABI_VERSION } from '@turntable/core';
import { corruptStateError, HeapError } from './heap-error.ts';
import { checksumOf } from './checksum.ts';
import { FORMAT_VERSION, HEADER_LENGTH, MAGIC, TRAILER_LENGTH } from './tags.ts';

export function foreignStateError(problem: string): HeapError {
  return new HeapError(
    'TT_FOREIGN_STATE',
    `the state ${problem}; restore it with the version and program that wrote it`,
    { offset: 0 },
  );
}

/** Checks header and checksum, and returns the offset of the footer. */
export function locateFooter(bytes: Uint8Array): number {
  for (let i = 0; i < MAGIC.length; i++) {
    if (bytes[i] !== MAGIC[i]) throw foreignStateError('does not start like the state of a heap');
  }
  if (bytes.length < HEADER_LENGTH + TRAILER_LENGTH) throw corruptStateError('a header and a trailer', bytes.length);
  if (bytes[4] !== FORMAT_VERSION)
    throw foreignStateError(`has format version ${bytes[4]}, this Turntable reads version ${FORMAT_VERSION}`);
  if (bytes[5] !== ABI_VERSION)
    throw foreignStateError(`has ABI version ${bytes[5]}, this Turntable has version ${ABI_VERSION}`);
  if (bytes[6] !== 0 || bytes[7] !== 0) throw foreignStateError('uses features that this version does not know');
  const end = bytes.length - TRAILER_LENGTH;
  if (readUint32(bytes, end + 4) !== checksumOf(bytes, HEADER_LENGTH, end + 4))
    throw corruptStateError('another checksum', end + 4);
  const footer = end - readUint32(bytes, end);
  if (footer < HEADER_LENGTH) throw corruptStateError('the length of the footer', end);
  return footer;
}

function readUint32(bytes: Uint8Array, offset: number): number {
  return (
    ((bytes[offset] ?? 0) |
      ((bytes[offset + 1] ?? 0) << 8) |
      ((bytes[offset + 2] ?? 0) << 16) |
      ((bytes[offset + 3] ?? 0) << 24)) >>>
    0
  );
}
