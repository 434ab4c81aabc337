// A directory of cache files. The name of a file is a short checksum of its cache key: loading a cryptographic hash
// takes Node longer than starting an empty program. Two keys can share a name, so each file contains its key. Files are
// written under a temporary name and renamed, so that processes can write the same file at once. If the directory is
// not writable, nothing is cached.
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { threadId } from 'node:worker_threads';
import { mkdirSync, readBytesSync, renameSync, rmSync, writeBytesSync } from '../files.ts';

/** Everything that determines a cache entry. */
export interface CacheKey {
  /** All inputs except the source: versions, settings, the name of the file. */
  readonly context: string;
  readonly source: string;
}

/** Size of the magic number and the checksum. */
const SEAL_BYTES = 4 + 4;

/** The content of a cache file: magic number, CRC-32 of the rest, parts. */
export function seal(magic: string, ...parts: readonly Buffer[]): Buffer {
  const file = Buffer.concat([Buffer.alloc(SEAL_BYTES), ...parts]);
  file.write(magic, 'latin1');
  file.writeUInt32LE(crc32(file.subarray(SEAL_BYTES)), 4);
  return file;
}

/** The content of a cache file without its seal; undefined if it has another magic number or is damaged. */
export function unseal(magic: string, file: Buffer): Buffer | undefined {
  if (file.length < SEAL_BYTES || file.toString('latin1', 0, 4) !== magic) return undefined;
  const content = file.subarray(SEAL_BYTES);
  return crc32(content) === file.readUInt32LE(4) ? content : undefined;
}

let temporaryFileCount = 0;

export class CacheDirectory {
  readonly #directory: string;
  readonly #extension: string;
  #isWritable = true;

  constructor(directory: string, extension: string) {
    this.#directory = directory;
    this.#extension = extension;
  }

  /** The bytes of the file for this key; undefined if it cannot be read. */
  read(cacheKey: CacheKey): Buffer | undefined {
    try {
      return readBytesSync(this.#file(cacheKey));
    } catch {
      return undefined;
    }
  }

  write(cacheKey: CacheKey, encode: () => Buffer): void {
    if (!this.#isWritable) return;
    const file = this.#file(cacheKey);
    const temporary = `${file}.${process.pid}-${threadId}-${temporaryFileCount++}`;
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeBytesSync(temporary, encode());
      renameSync(temporary, file);
    } catch {
      // The directory is read-only, full or deleted: later writes would fail, too.
      this.#isWritable = false;
      removeFile(temporary);
    }
  }

  #file({ context, source }: CacheKey): string {
    const [contextHash, sourceHash] = [context, source].map((text) => crc32(text).toString(16).padStart(8, '0')) as [
      string,
      string,
    ];
    return join(this.#directory, contextHash.slice(0, 2), `${contextHash.slice(2)}-${sourceHash}.${this.#extension}`);
  }
}

function removeFile(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // The directory does not exist either.
  }
}
