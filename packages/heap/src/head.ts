// The first and last eight bytes of a state: whose they are, whether they are whole, and where the footer begins. What is known only
// when all has been written stands at the end, so that nothing has to wait for it.

import { ABI_VERSION } from '@turntable/core';
import { corruptState, HeapError } from './heap-error.ts';
import { checksumOf } from './checksum.ts';
import { FORMAT_VERSION, HEADER_LENGTH, MAGIC, TRAILER_LENGTH } from './tags.ts';

export function foreign(what: string): HeapError {
  return new HeapError('TT_FOREIGN_STATE', `these bytes ${what}; restore with what wrote them`, { offset: 0 });
}

/** The offset of the footer, once the head has been found to be ours and the checksum to be right. */
export function footerOf(bytes: Uint8Array): number {
  for (let i = 0; i < MAGIC.length; i++) {
    if (bytes[i] !== MAGIC[i]) throw foreign('are not the state of a heap');
  }
  if (bytes.length < HEADER_LENGTH + TRAILER_LENGTH) throw corruptState('a header and a trailer', bytes.length);
  if (bytes[4] !== FORMAT_VERSION) throw foreign(`have format version ${bytes[4]}, this is version ${FORMAT_VERSION}`);
  if (bytes[5] !== ABI_VERSION) throw foreign(`belong to ABI version ${bytes[5]}, this is version ${ABI_VERSION}`);
  if (bytes[6] !== 0 || bytes[7] !== 0) throw foreign('use features this version does not know');
  const end = bytes.length - TRAILER_LENGTH;
  if (uint32At(bytes, end + 4) !== checksumOf(bytes, HEADER_LENGTH, end + 4))
    throw corruptState('another checksum', end + 4);
  const footer = end - uint32At(bytes, end);
  if (footer < HEADER_LENGTH) throw corruptState('the length of the footer', end);
  return footer;
}

function uint32At(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16) | ((bytes[at + 3] ?? 0) << 24)) >>> 0
  );
}
