// Files that are there whole or not at all: written under a temporary name, brought to the disk, renamed. A process that is killed on
// the way leaves the old file, if there was one, and a temporary one that no reader looks at.

import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Of the owner alone: states and environments hold secrets. */
export const FILE_MODE = 0o600;
export const DIRECTORY_MODE = 0o700;

export function temporaryNameOf(path: string): string {
  return join(dirname(path), `.${basename(path)}.tmp`);
}

export function isTemporary(name: string): boolean {
  return name.startsWith('.') && name.endsWith('.tmp');
}

export function writeAll(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += writeSync(descriptor, bytes, at, bytes.length - at);
}

/** @param isDurable whether it must be on the disk when this returns; if not, `makeDurable` is to follow */
export function writeWhole(path: string, bytes: Uint8Array, isDurable = true): void {
  const file = new WholeFile(path);
  try {
    file.write(bytes);
    file.commit(isDurable);
  } catch (error) {
    file.abandon();
    throw error;
  }
}

export class WholeFile {
  readonly path: string;
  readonly #temporary: string;
  #descriptor: number | undefined;

  constructor(path: string) {
    this.path = path;
    this.#temporary = temporaryNameOf(path);
    this.#descriptor = openSync(this.#temporary, 'w', FILE_MODE);
  }

  write(bytes: Uint8Array): void {
    if (this.#descriptor !== undefined) writeAll(this.#descriptor, bytes);
  }

  commit(isDurable = true): void {
    if (this.#descriptor === undefined) return;
    if (isDurable) fsyncSync(this.#descriptor);
    this.#close();
    renameSync(this.#temporary, this.path);
    if (isDurable) makeDurable(dirname(this.path));
  }

  /** Never throws: what is abandoned has failed already. */
  abandon(): void {
    try {
      this.#close();
    } catch {
      // The disk refused what was still to be written; the file goes anyway.
    }
    try {
      rmSync(this.#temporary, { force: true });
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
export function makeDurable(path: string): void {
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
