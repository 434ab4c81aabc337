// A directory of cache files. The name of a file is a short checksum of its origin: a cryptographic hash would take Node longer to load than an empty program takes
// to start. Two origins can share a name, so each file holds its origin in full. Files are written under a temporary name and renamed, so processes can write the same
// file at once. A directory that is not writable is no error: nothing is cached then.
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

/** Bytes of a magic number and a checksum. */
const SEAL = 4 + 4;

/** The content of a cache file after its magic number and a CRC-32 of it. */
export function sealed(magic: string, ...parts: readonly Buffer[]): Buffer {
  const file = Buffer.concat([Buffer.alloc(SEAL), ...parts]);
  file.write(magic, 'latin1');
  file.writeUInt32LE(crc32(file.subarray(SEAL)), 4);
  return file;
}

/** Nothing for a file of another kind or a damaged one. */
export function unsealed(magic: string, file: Buffer): Buffer | undefined {
  if (file.length < SEAL || file.toString('latin1', 0, 4) !== magic) return undefined;
  const content = file.subarray(SEAL);
  return crc32(content) === file.readUInt32LE(4) ? content : undefined;
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
      // Read-only, full or deleted: later writes would fail, too.
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
    // Its directory does not exist either.
  }
}
