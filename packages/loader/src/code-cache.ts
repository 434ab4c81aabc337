// Transformed code on disk. An entry is one file named by a hash of all that went into it, written under a temporary name and
// renamed, and carries a checksum: whatever is stale, cut short or damaged is simply not found, and processes that write the
// same entry at once write the same bytes. A directory that cannot be written to means no cache and no error.
//
//   "TTC6"  CRC-32 of the rest  seven uint32 lengths and flags  sections
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { threadId } from 'node:worker_threads';

/** What is kept of one file. Only `head` is parsed to run it. */
export interface CacheEntry {
  /** JSON: what loading needs. */
  readonly head: string;
  readonly code: string;
  /** What the source map is made of. */
  readonly map: string;
  /** JSON: the whole table, for captures. */
  readonly table: string;
  /** The text that positions in the table refer to, if it is not the file's own: lowered TypeScript. */
  readonly lowered: string;
  /** V8's compiled code, or empty. */
  readonly compiled: Buffer;
}

const MAGIC = 'TTC6';
const SECTIONS = 6;
const CHECKED = 4 + 4;
const HEADER = CHECKED + (SECTIONS + 1) * 4;
let temporaryNames = 0;

export function cacheKey(parts: readonly string[]): string {
  // Nobody gains by a collision: who can choose a source can choose what it does.
  return hash('sha1', parts.map((part) => `${part.length}:${part}`).join(''), 'hex');
}

export class CodeCache {
  readonly directory: string;
  #writable = true;

  constructor(directory: string) {
    this.directory = directory;
  }

  read(key: string): CacheEntry | undefined {
    let bytes: Buffer;
    try {
      bytes = readFileSync(this.#file(key));
    } catch {
      return undefined;
    }
    return decodeEntry(bytes);
  }

  write(key: string, entry: CacheEntry): void {
    if (!this.#writable) return;
    const file = this.#file(key);
    const temporary = `${file}.${process.pid}-${threadId}-${temporaryNames++}`;
    try {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(temporary, encodeEntry(entry));
      renameSync(temporary, file);
    } catch {
      // Read-only, full, or gone: every load after this one would fail alike.
      this.#writable = false;
      removeIfThere(temporary);
    }
  }

  #file(key: string): string {
    return join(this.directory, key.slice(0, 2), `${key.slice(2)}.ttc`);
  }
}

function removeIfThere(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Not even its directory is there.
  }
}

function isLatin1(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the range of one-byte strings
  return !/[^\u0000-\u00ff]/.test(text);
}

export function encodeEntry(entry: CacheEntry): Buffer {
  // One-byte code stays one-byte in memory when read back as Latin-1, and decodes several times faster.
  const oneByte = isLatin1(entry.code);
  const sections = [
    Buffer.from(entry.head),
    Buffer.from(entry.code, oneByte ? 'latin1' : 'utf8'),
    Buffer.from(entry.map),
    Buffer.from(entry.table),
    Buffer.from(entry.lowered),
    entry.compiled,
  ];
  const numbers = Buffer.alloc((SECTIONS + 1) * 4);
  sections.forEach((section, i) => numbers.writeUInt32LE(section.length, i * 4));
  numbers.writeUInt32LE(oneByte ? 1 : 0, SECTIONS * 4);
  const rest = Buffer.concat([numbers, ...sections]);
  const head = Buffer.from(`${MAGIC}0000`, 'latin1');
  head.writeUInt32LE(crc32(rest), 4);
  return Buffer.concat([head, rest]);
}

export function decodeEntry(bytes: Buffer): CacheEntry | undefined {
  if (bytes.length < HEADER || bytes.toString('latin1', 0, 4) !== MAGIC) return undefined;
  if (crc32(bytes.subarray(CHECKED)) !== bytes.readUInt32LE(4)) return undefined;
  let at = HEADER;
  const next = (i: number): Buffer => {
    const from = at;
    at += bytes.readUInt32LE(CHECKED + i * 4);
    return bytes.subarray(from, at);
  };
  const head = next(0).toString();
  const code = next(1);
  const map = next(2);
  const table = next(3);
  const lowered = next(4);
  const compiled = next(5);
  if (at !== bytes.length) return undefined;
  const oneByte = bytes.readUInt32LE(CHECKED + SECTIONS * 4) === 1;
  return {
    head,
    code: oneByte ? code.toString('latin1') : code.toString(),
    get map(): string {
      return map.toString();
    },
    get table(): string {
      return table.toString();
    },
    get lowered(): string {
      return lowered.toString();
    },
    compiled,
  };
}
