// Seal of one recording: binds its parts to the recording's id. The manifest and the lines of the module log get tags;
// the key of a file depends on its name. docs/internals/formats.md, "Seals", is the contract.

import { createHmac, timingSafeEqual } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { currentKey } from './key.ts';
import { missingKeyError, otherKeyError, sealError } from './seal-errors.ts';
import { deriveBytes, KEY_BYTES, Sealer, sealingKeysOf, Unsealer, type SealingKeys } from './sealing.ts';

/** A part of a recording that stays readable and is authenticated by a tag. */
export type TaggedPart = 'manifest' | 'module';

/** Returns whether the text has the form of a tag. */
export function isTag(text: string): boolean {
  return /^[0-9a-f]{80}$/.test(text);
}

/** Number of hexadecimal digits of the part of a tag that depends on the key alone. */
const KEY_CHECK_DIGITS = 16;

export class RecordingSeal {
  readonly #id: string;
  readonly #key: Uint8Array | undefined;
  readonly #keys: SealingKeys | undefined;
  /** Bytes derived from the key, by purpose. */
  readonly #derived = new Map<TaggedPart | 'check', Buffer>();

  /** @param id id of the recording @param key its key, by default that of this process */
  constructor(id: string, key: Uint8Array | undefined = currentKey()) {
    this.#id = id;
    this.#key = key;
    this.#keys = key === undefined ? undefined : sealingKeysOf(key);
  }

  get hasKey(): boolean {
    return this.#key !== undefined;
  }

  /** Returns the tag of a part: a check of the key, and the HMAC-SHA-256 of the text. */
  tag(part: TaggedPart, text: string): string {
    const mac = createHmac('sha256', this.#derive(part, KEY_BYTES)).update(text).digest('hex');
    return this.#keyCheck() + mac;
  }

  /** @throws {RecordingError} if the key is missing or another one, or the text was changed */
  verify(part: TaggedPart, text: string, tag: string, file: string): void {
    if (this.#key === undefined) throw missingKeyError(file);
    if (tag.slice(0, KEY_CHECK_DIGITS) !== this.#keyCheck()) throw otherKeyError(file);
    if (timingSafeEqual(Buffer.from(tag), Buffer.from(this.tag(part, text)))) return;
    throw sealError(file, 'was changed after it was sealed');
  }

  /** @param file path of the new file, whose last two names its key depends on */
  createSealer(file: string): Sealer {
    if (this.#keys === undefined) throw missingKeyError(file);
    return new Sealer(this.#keys, this.#placeOf(file));
  }

  /** @throws {RecordingError} if the key is missing or another one, or the file belongs elsewhere */
  openSealed(header: Uint8Array, file: string): Unsealer {
    return new Unsealer(header, this.#keys, this.#placeOf(file), file);
  }

  #placeOf(file: string): string {
    return `${this.#id} ${basename(dirname(file))}/${basename(file)}`;
  }

  #keyCheck(): string {
    return this.#derive('check', KEY_CHECK_DIGITS / 2).toString('hex');
  }

  #derive(purpose: TaggedPart | 'check', length: number): Buffer {
    if (this.#key === undefined) throw missingKeyError(this.#id);
    let bytes = this.#derived.get(purpose);
    if (bytes === undefined) {
      bytes = deriveBytes(this.#key, Buffer.from(this.#id, 'hex'), purpose, length);
      this.#derived.set(purpose, bytes);
    }
    return bytes;
  }
}

/** Returns the seal of a new recording; undefined if this process has no key. */
export function sealForWriting({ id }: { readonly id: string }): RecordingSeal | undefined {
  const key = currentKey();
  return key === undefined ? undefined : new RecordingSeal(id, key);
}

/** Returns the seal of a recording that is read, with the key of this process; undefined if it is not sealed. */
export function sealForReading({
  id,
  seal,
}: {
  readonly id: string;
  readonly seal?: string;
}): RecordingSeal | undefined {
  return seal === undefined ? undefined : new RecordingSeal(id);
}
