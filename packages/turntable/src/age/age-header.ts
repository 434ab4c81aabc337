// The start of a file in the age format (https://age-encryption.org/v1), which names the kinds of its recipients.
import { closeSync, openSync, readSync } from 'node:fs';

/** First line of an encrypted file. */
export const HEADER_START = 'age-encryption.org/v1';
/** First line of an encrypted file as text. */
export const ARMOR_START = '-----BEGIN AGE ENCRYPTED FILE-----';
/** More than the header of a file for many recipients. */
const MAX_HEADER_BYTES = 1 << 20;

export interface AgeHeader {
  readonly isArmored: boolean;
  /** Kind of each recipient: `X25519`, `scrypt` for a passphrase, … */
  readonly kinds: readonly string[];
}

/** Reads the header of a file; undefined if the file is not encrypted with age. */
export function readAgeHeader(file: string): AgeHeader | undefined {
  const start = readStart(file, ARMOR_START.length);
  if (start === ARMOR_START) return { isArmored: true, kinds: [] };
  if (!start.startsWith(`${HEADER_START}\n`)) return undefined;
  const header = readStart(file, MAX_HEADER_BYTES).split('\n--- ', 1)[0] ?? '';
  return { isArmored: false, kinds: [...header.matchAll(/^-> (\S+)/gm)].map(([, kind = '']) => kind) };
}

function readStart(file: string, length: number): string {
  const descriptor = openSync(file, 'r');
  try {
    const bytes = Buffer.alloc(length);
    return bytes.toString('latin1', 0, readSync(descriptor, bytes, 0, length, 0));
  } finally {
    closeSync(descriptor);
  }
}
