// The directory of caches. Files are named by short checksums of what they were made of, not by a cryptographic hash: Node takes longer to load those than an
// empty program takes to start, and each file says in full what it was made of. They are written under a temporary name and renamed, so that processes that write
// the same file at once write the same bytes. A directory that cannot be written to means no cache and no error.
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { threadId } from 'node:worker_threads';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from '../files.ts';

/** What an entry was made of. */
export interface CacheOrigin {
  /** Everything but the text. */
  readonly about: string;
  readonly source: string;
}

let temporaryNames = 0;

export class CacheDirectory {
  readonly #directory: string;
  readonly #extension: string;
  #writable = true;

  constructor(directory: string, extension: string) {
    this.#directory = directory;
    this.#extension = extension;
  }

  /** Nothing if there is no such file. */
  read(origin: CacheOrigin): Buffer | undefined {
    try {
      return readFileSync(this.#file(origin));
    } catch {
      return undefined;
    }
  }

  write(origin: CacheOrigin, encode: () => Buffer): void {
    if (!this.#writable) return;
    const file = this.#file(origin);
    const temporary = `${file}.${process.pid}-${threadId}-${temporaryNames++}`;
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(temporary, encode());
      renameSync(temporary, file);
    } catch {
      // Read-only, full, or gone: every write after this one would fail alike.
      this.#writable = false;
      removeIfThere(temporary);
    }
  }

  #file({ about, source }: CacheOrigin): string {
    const [own, version] = [about, source].map((text) => crc32(text).toString(16).padStart(8, '0')) as [string, string];
    return join(this.#directory, own.slice(0, 2), `${own.slice(2)}-${version}.${this.#extension}`);
  }
}

function removeIfThere(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Not even its directory is there.
  }
}
