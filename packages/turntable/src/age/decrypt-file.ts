// Decrypts a file in the age format, piece by piece.
import { closeSync, createReadStream, openSync, writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { Decrypter } from 'age-encryption';
import { ageError } from './age-error.ts';
import { readAgeHeader } from './age-header.ts';

/**
 * @param target path of a new file, which is incomplete after an error
 * @throws {RecordingError} if the file is not encrypted to any of the identities, or is damaged or cut off
 */
export async function decryptFile(file: string, target: string, decrypter: Decrypter): Promise<void> {
  checkHeader(file);
  const encrypted = Readable.toWeb(createReadStream(file)) as unknown as globalThis.ReadableStream<Uint8Array>;
  let content: AsyncIterable<Uint8Array>;
  try {
    content = (await decrypter.decrypt(encrypted)) as unknown as AsyncIterable<Uint8Array>;
  } catch (error) {
    const isOther = error instanceof Error && error.message.includes('no identity matched');
    throw isOther
      ? ageError(file, `${file} is encrypted to other recipients; name the identity of one of them: --identity FILE`)
      : damagedError(file, error);
  }
  const descriptor = openSync(target, 'wx', 0o600);
  try {
    const pieces = content[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await nextPiece(pieces, file);
      if (done === true) return;
      for (let offset = 0; offset < value.length;)
        offset += writeSync(descriptor, value, offset, value.length - offset);
    }
  } finally {
    closeSync(descriptor);
  }
}

async function nextPiece(pieces: AsyncIterator<Uint8Array>, file: string): Promise<IteratorResult<Uint8Array>> {
  try {
    return await pieces.next();
  } catch (error) {
    throw damagedError(file, error);
  }
}

function checkHeader(file: string): void {
  const header = readAgeHeader(file);
  if (header === undefined) throw ageError(file, `${file} is not encrypted with age; unpack it without --identity`);
  if (header.isArmored)
    throw ageError(
      file,
      `${file} is an age file as text (armor); decrypt it first: age -d -i IDENTITY ${file} > FILE.ttr`,
    );
  if (header.kinds.includes('scrypt'))
    throw ageError(
      file,
      `${file} is encrypted with a passphrase, not to a recipient; decrypt it first: age -d ${file} > FILE.ttr`,
    );
}

function damagedError(file: string, cause: unknown): Error {
  return ageError(file, `${file} is damaged or cut off; copy it again from where it was packed`, cause);
}
