// JSON objects with a checksum of their other fields and, in a sealed recording, a tag. The checksum finds damage
// without the key; the tag finds changes by others. Both cover the fields as JSON without white space.

import { crc32 } from 'node:zlib';
import type { RecordingSeal, TaggedPart } from './sealed/recording-seal.ts';

export interface CheckedFields {
  readonly seal?: string;
}

/** Returns the fields with their tag, if there is a seal, and their checksum. */
export function withChecks<F extends object>(
  fields: F & { readonly seal?: never },
  part: TaggedPart,
  seal: RecordingSeal | undefined,
): F & { readonly checksum: string } {
  const sealed = seal === undefined ? fields : { ...fields, seal: seal.tag(part, JSON.stringify(fields)) };
  return { ...sealed, checksum: checksumOf(sealed) };
}

/** Returns the object without its checksum; undefined if the checksum is missing or another one. */
export function withoutChecksum(value: Readonly<Record<string, unknown>>): object | undefined {
  const { checksum, ...fields } = value;
  return checksum === checksumOf(fields) ? fields : undefined;
}

/** @throws {RecordingError} if the fields are not the ones that were sealed, or the key is missing or another one */
export function verifyTag(fields: CheckedFields, part: TaggedPart, seal: RecordingSeal, file: string): void {
  const { seal: tag = '', ...others } = fields;
  seal.verify(part, JSON.stringify(others), tag, file);
}

function checksumOf(fields: object): string {
  return crc32(JSON.stringify(fields)).toString(16).padStart(8, '0');
}
