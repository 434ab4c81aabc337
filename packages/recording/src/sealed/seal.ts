// Files that cannot be read without a key, nor be changed without it being noticed: AES-256-GCM, chunk by chunk, beneath whatever format a file has.
// Each file has a key of its own, made of the recording's and of what chance gave its header, so that the number of a chunk can be its nonce.
// docs/formats.md, "Sealed files", is the contract.

import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { damaged, foreign, RecordingError } from '../recording-error.ts';
import { viewOf } from '../snapshot-format.ts';

export const SEALED_VERSION = 1;
export const SEALED_HEADER = 36;
export const SEALED_HEAD = 8;
export const TAG_LENGTH = 16;
/** Content of one chunk. */
export const SEALED_LIMIT = 16 << 20;
export const KEY_LENGTH = 32;

const MAGIC = 'TTSE';
const SALT = 16;
const CHECK = 8;
const CIPHER = 'aes-256-gcm';

function derived(key: Uint8Array, salt: Uint8Array, what: string, length: number): Buffer {
  return Buffer.from(hkdfSync('sha256', key, salt, `turntable ${what}`, length));
}

function nonceOf(chunk: number): Uint8Array {
  const nonce = Buffer.alloc(12);
  nonce.writeBigUInt64BE(BigInt(chunk), 4);
  return nonce;
}

/** Of one file that is written, once, from its beginning. */
export class Sealer {
  readonly header: Uint8Array;
  readonly #key: Uint8Array;
  #chunks = 0;

  constructor(key: Uint8Array, salt: Uint8Array = randomBytes(SALT)) {
    const header = Buffer.alloc(SEALED_HEADER);
    header.write(MAGIC, 0, 'latin1');
    header.writeUInt16LE(SEALED_VERSION, 4);
    header.set(salt, 8);
    header.set(derived(key, salt, 'check', CHECK), 8 + SALT);
    header.writeUInt32LE(crc32(header.subarray(0, 32)), 32);
    this.header = header;
    this.#key = derived(key, salt, 'file', KEY_LENGTH);
  }

  /** What is behind what was sealed before. */
  seal(content: Uint8Array): Uint8Array {
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < content.length; at += SEALED_LIMIT)
      pieces.push(...this.#chunk(content.subarray(at, at + SEALED_LIMIT)));
    return Buffer.concat(pieces);
  }

  #chunk(content: Uint8Array): readonly Uint8Array[] {
    const cipher = createCipheriv(CIPHER, this.#key, nonceOf(this.#chunks++), { authTagLength: TAG_LENGTH });
    const sealed = cipher.update(content);
    cipher.final();
    const head = Buffer.alloc(SEALED_HEAD);
    head.writeUInt32LE(content.length, 0);
    head.writeUInt32LE(crc32(head.subarray(0, 4)), 4);
    return [head, sealed, cipher.getAuthTag()];
  }
}

export function isSealed(bytes: Uint8Array): boolean {
  return bytes.length >= 4 && viewOf(bytes).toString('latin1', 0, 4) === MAGIC;
}

/** Of one file that is read. */
export class Opener {
  readonly #key: Uint8Array;
  readonly #file: string;

  /** @throws {RecordingError} if there is no key, or another one */
  constructor(header: Uint8Array, key: Uint8Array | undefined, file: string) {
    const bytes = viewOf(header);
    const version = bytes.readUInt16LE(4);
    if (version !== SEALED_VERSION || bytes.readUInt16LE(6) !== 0)
      throw foreign(
        file,
        4,
        `${file} is sealed in a way that this Turntable does not know; read it with the version that wrote it`,
      );
    if (crc32(bytes.subarray(0, 32)) !== bytes.readUInt32LE(32)) throw damaged(file, 32, 'the checksum of the header');
    if (key === undefined)
      throw new RecordingError(
        'TT_RECORDING_KEY',
        `${file} is sealed; name the file with its key: --key FILE, or TURNTABLE_KEY=FILE in the environment`,
        { file },
      );
    const salt = bytes.subarray(8, 8 + SALT);
    if (!timingSafeEqual(derived(key, salt, 'check', CHECK), bytes.subarray(8 + SALT, 8 + SALT + CHECK)))
      throw new RecordingError(
        'TT_RECORDING_KEY',
        `${file} is sealed with another key; have --key or TURNTABLE_KEY name the one that it was recorded with`,
        { file },
      );
    this.#key = derived(key, salt, 'file', KEY_LENGTH);
    this.#file = file;
  }

  /** `chunk`: its number; `sealed`: its bytes with the tag, behind the head; `at`: where they are in the file. */
  open(chunk: number, sealed: Uint8Array, at: number): Uint8Array {
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, nonceOf(chunk), { authTagLength: TAG_LENGTH });
      decipher.setAuthTag(sealed.subarray(-TAG_LENGTH));
      const content = decipher.update(sealed.subarray(0, -TAG_LENGTH));
      decipher.final();
      return content;
    } catch (error) {
      throw damaged(this.#file, at, `chunk ${chunk} as it was sealed`, error);
    }
  }
}

/** The length of a chunk's content; nothing where nothing has been written. */
export function lengthOf(head: Uint8Array, file: string, at: number): number | undefined {
  const bytes = viewOf(head);
  const length = bytes.readUInt32LE(0);
  if (length === 0 && bytes.readUInt32LE(4) === 0) return undefined;
  if (crc32(bytes.subarray(0, 4)) !== bytes.readUInt32LE(4) || length === 0 || length > SEALED_LIMIT)
    throw damaged(file, at, 'the head of a sealed chunk');
  return length;
}
