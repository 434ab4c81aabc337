// Files that exist whole or not at all: written under a temporary name, synced to the disk, then renamed. A killed
// process leaves the old file, if any, and a temporary one that readers ignore.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from './file-operations.ts';
import { basename, dirname, join } from 'node:path';
import type { RecordingSeal } from './sealed/recording-seal.ts';
import type { Sealer } from './sealed/sealing.ts';

/** Access for the owner only: states and environments hold secrets. */
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

/** Writes a whole file. @param isDurable whether to sync; if false, the caller must call `syncToDisk` later */
export function writeFileAtomically(path: string, bytes: Uint8Array, isDurable = true, seal?: RecordingSeal): void {
  const file = new AtomicFile(path, seal);
  try {
    file.write(bytes);
    file.commit(isDurable);
  } catch (error) {
    file.abandon();
    throw error;
  }
}

/** Target size of a sealed chunk's content. */
const SEALED_BUFFER_BYTES = 1 << 16;

export class AtomicFile {
  readonly path: string;
  readonly #temporaryPath: string;
  readonly #sealer: Sealer | undefined;
  /** Content that does not fill a sealed chunk yet. */
  #unsealed: Uint8Array[] = [];
  #unsealedBytes = 0;
  #descriptor: number | undefined;

  /** Creates the temporary file. @param seal seal of the file's recording, if it is sealed */
  constructor(path: string, seal?: RecordingSeal) {
    this.path = path;
    this.#temporaryPath = temporaryPathOf(path);
    this.#descriptor = openSync(this.#temporaryPath, 'w', FILE_MODE);
    this.#sealer = seal?.createSealer(path);
    if (this.#sealer !== undefined) writeAll(this.#descriptor, this.#sealer.header);
  }

  write(bytes: Uint8Array): void {
    if (this.#descriptor === undefined) return;
    if (this.#sealer === undefined) return writeAll(this.#descriptor, bytes);
    // A copy, because the caller may reuse the memory of `bytes`.
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
    this.publish();
    if (isDurable) syncToDisk(dirname(this.path));
  }

  /** Completes the content. Returns the path that must be synced before `publish`. */
  finish(): string {
    if (this.#descriptor !== undefined && this.#sealer !== undefined) this.#seal(this.#descriptor, this.#sealer);
    this.#close();
    return this.#temporaryPath;
  }

  /** Gives the finished file its name. The caller must sync the directory. */
  publish(): void {
    renameSync(this.#temporaryPath, this.path);
  }

  /** Closes and removes the file. Never throws, because an error has already been reported. */
  abandon(): void {
    try {
      this.#close();
    } catch {
      // The remaining bytes could not be written; the file is removed anyway.
    }
    try {
      rmSync(this.#temporaryPath, { force: true });
    } catch {
      // The directory is missing or not writable. `removeLeftovers` removes the file later.
    }
  }

  #close(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** Syncs a file's content, or the entries of a directory, to the disk before returning. */
export function syncToDisk(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } catch (error) {
    // Windows cannot sync directories and does not need to.
    if (process.platform !== 'win32') throw error;
  } finally {
    closeSync(descriptor);
  }
}
