// Files that are there whole or not at all: written under a temporary name, brought to the disk, renamed. A process that is killed on
// the way leaves the old file, if there was one, and a temporary one that no reader looks at.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Sealer } from './sealed/sealing.ts';

/** Of the owner alone: states and environments hold secrets. */
export const FILE_MODE = 0o600;
export const DIRECTORY_MODE = 0o700;

export function temporaryPathOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.tmp`);
}

export function isTemporaryName(name: string): boolean {
  return name.startsWith('.') && name.endsWith('.tmp');
}

export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let offset = 0; offset < bytes.length;) offset += writeSync(descriptor, bytes, offset, bytes.length - offset);
}

/** @param isDurable whether it must be on the disk when this returns; if not, `syncToDisk` is to follow */
export function writeFileAtomically(path: string, bytes: Uint8Array, isDurable = true, key?: Uint8Array): void {
  const file = new AtomicFile(path, key);
  try {
    file.write(bytes);
    file.commit(isDurable);
  } catch (error) {
    file.abandon();
    throw error;
  }
}

/** Content of a sealed chunk, if there is as much. */
const SEALED_BUFFER_BYTES = 1 << 16;

export class AtomicFile {
  readonly path: string;
  readonly #temporaryPath: string;
  readonly #sealer: Sealer | undefined;
  /** What is still to be sealed. */
  #unsealed: Uint8Array[] = [];
  #unsealedBytes = 0;
  #descriptor: number | undefined;

  /** @param key it is sealed with, if it is */
  constructor(path: string, key?: Uint8Array) {
    this.path = path;
    this.#temporaryPath = temporaryPathOf(path);
    this.#descriptor = openSync(this.#temporaryPath, 'w', FILE_MODE);
    this.#sealer = key === undefined ? undefined : new Sealer(key);
    if (this.#sealer !== undefined) writeAll(this.#descriptor, this.#sealer.header);
  }

  write(bytes: Uint8Array): void {
    if (this.#descriptor === undefined) return;
    if (this.#sealer === undefined) return writeAll(this.#descriptor, bytes);
    // Whoever writes may use its memory again.
    this.#unsealed.push(Uint8Array.from(bytes));
    this.#unsealedBytes += bytes.length;
    if (this.#unsealedBytes >= SEALED_BUFFER_BYTES) this.#seal(this.#descriptor, this.#sealer);
  }

  #seal(descriptor: number, sealer: Sealer): void {
    writeAll(descriptor, sealer.seal(Buffer.concat(this.#unsealed)));
    this.#unsealed = [];
    this.#unsealedBytes = 0;
  }

  commit(isDurable = true): void {
    if (this.#descriptor === undefined) return;
    if (this.#sealer !== undefined) this.#seal(this.#descriptor, this.#sealer);
    if (isDurable) fsyncSync(this.#descriptor);
    this.#close();
    renameSync(this.#temporaryPath, this.path);
    if (isDurable) syncToDisk(dirname(this.path));
  }

  /** Never throws: what is abandoned has failed already. */
  abandon(): void {
    try {
      this.#close();
    } catch {
      // The disk refused what was still to be written; the file goes anyway.
    }
    try {
      rmSync(this.#temporaryPath, { force: true });
    } catch {
      // Its directory is gone, or not ours any more: the next opening looks again.
    }
  }

  #close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** What a file holds, or which names a directory has, is on the disk when this returns. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    // Windows cannot bring directories to the disk, and needs not be asked.
    if (process.platform !== 'win32') throw error;
  } finally {
    closeSync(descriptor);
  }
}
