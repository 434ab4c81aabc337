// The cache of transformed code. An entry is a file that contains the complete key and a checksum: a stale, truncated
// or damaged one is not found.
//
//   "TTC7"  CRC-32 of the rest  nine uint32: eight lengths and a flag  sections
import { readBytesSync } from '../files.ts';
import { CacheDirectory, seal, unseal, type CacheKey } from './cache-directory.ts';

/** The cached parts of a file. Only `head` is parsed to run the file. */
export interface CacheEntry {
  /** JSON of the data that running the file needs. */
  readonly head: string;
  readonly code: string;
  /** The data of the source map. */
  readonly map: string;
  /** JSON of the transform's whole table, which captures, stacks and debugging need. */
  readonly table: string;
  /** The text that positions in the table refer to, if it is lowered TypeScript and not the file's own text. */
  readonly lowered: string;
  /** V8's compiled code; may be empty. */
  readonly compiled: Buffer;
}

const MAGIC = 'TTC7';
const EXTENSION = 'ttc';
const SECTIONS = 8;
/** Size of the lengths and the flag. */
const HEADER_BYTES = (SECTIONS + 1) * 4;

export class CodeCache {
  readonly #files: CacheDirectory;
  readonly #sharedFiles: CacheDirectory | undefined;

  /** @param sharedDirectory another cache, which is only read */
  constructor(directory: string, sharedDirectory?: string) {
    this.#files = new CacheDirectory(directory, EXTENSION);
    this.#sharedFiles = sharedDirectory === undefined ? undefined : new CacheDirectory(sharedDirectory, EXTENSION);
  }

  read(cacheKey: CacheKey): CacheEntry | undefined {
    return readFrom(this.#files, cacheKey) ?? readFrom(this.#sharedFiles, cacheKey);
  }

  write(cacheKey: CacheKey, entry: CacheEntry): void {
    this.#files.write(cacheKey, () => encodeEntry(cacheKey, entry));
  }
}

function readFrom(files: CacheDirectory | undefined, cacheKey: CacheKey): CacheEntry | undefined {
  const bytes = files?.read(cacheKey);
  return bytes === undefined ? undefined : decodeEntry(bytes, cacheKey);
}

function isLatin1(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the range of one-byte strings
  return !/[^\u0000-\u00ff]/.test(text);
}

export function encodeEntry({ context, source }: CacheKey, entry: CacheEntry): Buffer {
  // One-byte code stays one-byte in memory when read as Latin-1, and decodes several times faster.
  const isOneByte = isLatin1(entry.code);
  const sections = [
    Buffer.from(context),
    Buffer.from(source),
    Buffer.from(entry.head),
    Buffer.from(entry.code, isOneByte ? 'latin1' : 'utf8'),
    Buffer.from(entry.map),
    Buffer.from(entry.table),
    Buffer.from(entry.lowered),
    entry.compiled,
  ];
  const header = Buffer.alloc(HEADER_BYTES);
  sections.forEach((section, i) => header.writeUInt32LE(section.length, i * 4));
  header.writeUInt32LE(isOneByte ? 1 : 0, SECTIONS * 4);
  return seal(MAGIC, header, ...sections);
}

/** The entry in `file`; undefined if the file cannot be read or has another key. */
export function readEntry(file: string, cacheKey: CacheKey): CacheEntry | undefined {
  let bytes: Buffer;
  try {
    bytes = readBytesSync(file);
  } catch {
    return undefined;
  }
  return decodeEntry(bytes, cacheKey);
}

export function decodeEntry(file: Buffer, { context, source }: CacheKey): CacheEntry | undefined {
  const bytes = unseal(MAGIC, file);
  if (bytes === undefined || bytes.length < HEADER_BYTES) return undefined;
  let offset = HEADER_BYTES;
  const sections = Array.from({ length: SECTIONS }, (_, i) => {
    const start = offset;
    offset += bytes.readUInt32LE(i * 4);
    return bytes.subarray(start, offset);
  });
  if (offset !== bytes.length) return undefined;
  const [storedContext, storedSource, head, code, map, table, lowered, compiled] = sections as Sections;
  if (storedContext.toString() !== context || storedSource.toString() !== source) return undefined;
  const isOneByte = bytes.readUInt32LE(SECTIONS * 4) === 1;
  return {
    head: head.toString(),
    code: isOneByte ? code.toString('latin1') : code.toString(),
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

type Sections = [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
