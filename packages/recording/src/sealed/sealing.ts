// Encrypts and authenticates files of any format with AES-256-GCM, chunk by chunk. Each file has its own key, derived
// from the recording's key, random bytes in the file's header, and the place of the file: the id of its recording and
// its name there. So the chunk number can be the nonce, and a file cannot be moved.
// docs/internals/formats.md, "Sealed files", is the contract.

import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { damagedError, foreignFormatError } from '../recording-error.ts';
import { asBuffer } from '../snapshot-format.ts';
import { missingKeyError, otherKeyError, sealError } from './seal-errors.ts';

export const SEALED_VERSION = 2;
export const SEALED_HEADER_BYTES = 44;
export const SEALED_CHUNK_HEAD_BYTES = 8;
export const TAG_BYTES = 16;
/** Maximum content size of a chunk. */
export const MAX_SEALED_CHUNK_BYTES = 16 << 20;
export const KEY_BYTES = 32;

const MAGIC = 'TTSE';
const SALT_BYTES = 16;
/** Size of what shows whether the key is the right one, and whether the file is in its place. */
const CHECK_BYTES = 8;
const CHECK_OFFSET = 8 + SALT_BYTES;
const PLACE_OFFSET = CHECK_OFFSET + CHECK_BYTES;
const CHECKSUM_OFFSET = PLACE_OFFSET + CHECK_BYTES;
const CIPHER = 'aes-256-gcm';

export function deriveBytes(key: Uint8Array, salt: Uint8Array, purpose: string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `turntable ${purpose}`, length));
}

/** The key of a recording, and the key that is derived from it for the places of files. */
export interface SealingKeys {
  readonly key: Uint8Array;
  readonly placeKey: Uint8Array;
}

/** Returns the keys of a recording. The place key is derived once, because opening a recording verifies all places. */
export function sealingKeysOf(key: Uint8Array): SealingKeys {
  return { key, placeKey: deriveBytes(key, new Uint8Array(0), 'place', KEY_BYTES) };
}

function deriveFileKey({ key }: SealingKeys, salt: Uint8Array, place: string): Buffer {
  return deriveBytes(key, salt, `file ${place}`, KEY_BYTES);
}

/** Returns what shows that a file is in its place. */
function placeCheckOf({ placeKey }: SealingKeys, salt: Uint8Array, place: string): Buffer {
  return createHmac('sha256', placeKey).update(salt).update(place).digest().subarray(0, CHECK_BYTES);
}

function nonceOf(chunkIndex: number): Uint8Array {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(chunkIndex), 4);
  return nonce;
}

/** Encrypts one file sequentially. */
export class Sealer {
  readonly header: Uint8Array;
  readonly #key: Uint8Array;
  #chunkCount = 0;

  /** @param place id of the recording and name of the file in it */
  constructor(keys: SealingKeys, place: string) {
    const salt = randomBytes(SALT_BYTES);
    const header = Buffer.alloc(SEALED_HEADER_BYTES);
    header.write(MAGIC, 0, 'latin1');
    header.writeUInt16LE(SEALED_VERSION, 4);
    header.set(salt, 8);
    header.set(deriveBytes(keys.key, salt, 'check', CHECK_BYTES), CHECK_OFFSET);
    header.set(placeCheckOf(keys, salt, place), PLACE_OFFSET);
    header.writeUInt32LE(crc32(header.subarray(0, CHECKSUM_OFFSET)), CHECKSUM_OFFSET);
    this.header = header;
    this.#key = deriveFileKey(keys, salt, place);
  }

  seal(content: Uint8Array): Uint8Array {
    const pieces: Uint8Array[] = [];
    for (let offset = 0; offset < content.length; offset += MAX_SEALED_CHUNK_BYTES)
      pieces.push(...this.#sealChunk(content.subarray(offset, offset + MAX_SEALED_CHUNK_BYTES)));
    return Buffer.concat(pieces);
  }

  #sealChunk(content: Uint8Array): readonly Uint8Array[] {
    const cipher = createCipheriv(CIPHER, this.#key, nonceOf(this.#chunkCount++), { authTagLength: TAG_BYTES });
    const sealed = cipher.update(content);
    cipher.final();
    const head = Buffer.alloc(SEALED_CHUNK_HEAD_BYTES);
    head.writeUInt32LE(content.length, 0);
    head.writeUInt32LE(crc32(head.subarray(0, 4)), 4);
    return [head, sealed, cipher.getAuthTag()];
  }
}

export function isSealed(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && asBuffer(bytes).toString('latin1', 0, 4) === MAGIC;
}

export class Unsealer {
  readonly #deriveKey: () => Uint8Array;
  #key: Uint8Array | undefined;
  readonly #file: string;

  /** @throws {RecordingError} if the key is missing or another one, or the file was sealed for another place */
  constructor(header: Uint8Array, keys: SealingKeys | undefined, place: string, file: string) {
    const bytes = asBuffer(header);
    const version = bytes.readUInt16LE(4);
    if (version !== SEALED_VERSION || bytes.readUInt16LE(6) !== 0)
      throw foreignFormatError(
        file,
        4,
        `${file} is sealed in a format that this Turntable does not read; read it with the version that wrote it`,
      );
    if (crc32(bytes.subarray(0, CHECKSUM_OFFSET)) !== bytes.readUInt32LE(CHECKSUM_OFFSET))
      throw damagedError(file, CHECKSUM_OFFSET, 'the checksum of the header');
    if (keys === undefined) throw missingKeyError(file);
    const salt = Uint8Array.from(bytes.subarray(8, CHECK_OFFSET));
    if (!timingSafeEqual(placeCheckOf(keys, salt, place), bytes.subarray(PLACE_OFFSET, CHECKSUM_OFFSET))) {
      const keyCheck = bytes.subarray(CHECK_OFFSET, PLACE_OFFSET);
      if (!timingSafeEqual(deriveBytes(keys.key, salt, 'check', CHECK_BYTES), keyCheck)) throw otherKeyError(file);
      throw sealError(file, 'belongs to another recording, or to another place in this one', {
        remedy: 'give the file its original name, or copy the recording again from where it was made',
      });
    }
    this.#deriveKey = () => deriveFileKey(keys, salt, place);
    this.#file = file;
  }

  /** @param chunkIndex index in the file @param sealed bytes after the head, with the tag @param offset for errors */
  unseal(chunkIndex: number, sealed: Uint8Array, offset: number): Uint8Array {
    try {
      const decipher = createDecipheriv(CIPHER, (this.#key ??= this.#deriveKey()), nonceOf(chunkIndex), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
      const content = decipher.update(sealed.subarray(0, -TAG_BYTES));
      decipher.final();
      return content;
    } catch (error) {
      throw sealError(this.#file, `was changed after it was sealed, at byte ${offset} (chunk ${chunkIndex})`, {
        offset,
        cause: error,
      });
    }
  }
}

/** Returns the length of a chunk's content; undefined for zeros, where nothing has been written. */
export function readChunkLength(head: Uint8Array, file: string, offset: number): number | undefined {
  const bytes = asBuffer(head);
  const length = bytes.readUInt32LE(0);
  if (length === 0 && bytes.readUInt32LE(4) === 0) return undefined;
  if (crc32(bytes.subarray(0, 4)) !== bytes.readUInt32LE(4) || length === 0 || length > MAX_SEALED_CHUNK_BYTES)
    throw damagedError(file, offset, 'the head of a sealed chunk');
  return length;
}
