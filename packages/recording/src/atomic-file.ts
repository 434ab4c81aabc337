// Files that exist completely or not at all: written under a temporary name, synced to disk, renamed. A process killed
// meanwhile leaves the old file, if there was one, and a temporary file that readers ignore.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { Sealer } from './sealed/sealing.ts';

/** Owner only: states and environments contain secrets. */
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

/** @param isDurable whether to sync before returning; otherwise the caller must call `syncToDisk` */
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

/** Content of a sealed chunk; the last one may be shorter. */
const SEALED_BUFFER_BYTES = 1 << 16;

export class AtomicFile {
  readonly path: string;
  readonly #temporaryPath: string;
  readonly #sealer: Sealer | undefined;
  /** Bytes not sealed yet. */
  #unsealed: Uint8Array[] = [];
  #unsealedBytes = 0;
  #descriptor: number | undefined;

  /** @param key seals the file */
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
    // The caller may reuse its buffer.
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

  /** Never throws: the write has failed already. */
  abandon(): void {
    try {
      this.#close();
    } catch {
      // The disk refused the rest; the file is removed anyway.
    }
    try {
      rmSync(this.#temporaryPath, { force: true });
    } catch {
      // The directory is gone or not writable; the next opening cleans up.
    }
  }

  #close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** The contents of a file, or the names in a directory, are on disk when this returns. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    // Windows cannot sync directories, and need not.
    if (process.platform !== 'win32') throw error;
  } finally {
    closeSync(descriptor);
  }
}
