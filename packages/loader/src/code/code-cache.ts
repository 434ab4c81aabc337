// Transformed code on disk. An entry is one file that says in full what it was made of, and carries a checksum: whatever is stale, cut
// short or damaged is simply not found.
//
//   "TTC7"  CRC-32 of the rest  nine uint32: eight lengths and a flag  sections
import { readFileSync } from '../files.ts';
import { CacheDirectory, sealed, unsealed, type CacheOrigin } from './cache-directory.ts';

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

const MAGIC = 'TTC7';
const SECTIONS = 8;
/** Lengths and a flag. */
const NUMBERS = (SECTIONS + 1) * 4;

export class CodeCache {
  readonly #files: CacheDirectory;

  constructor(directory: string) {
    this.#files = new CacheDirectory(directory, 'ttc');
  }

  read(origin: CacheOrigin): CacheEntry | undefined {
    const bytes = this.#files.read(origin);
    return bytes === undefined ? undefined : decodeEntry(bytes, origin);
  }

  write(origin: CacheOrigin, entry: CacheEntry): void {
    this.#files.write(origin, () => encodeEntry(origin, entry));
  }
}

function isLatin1(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- the range of one-byte strings
  return !/[^\u0000-\u00ff]/.test(text);
}

export function encodeEntry({ about, source }: CacheOrigin, entry: CacheEntry): Buffer {
  // One-byte code stays one-byte in memory when read back as Latin-1, and decodes several times faster.
  const oneByte = isLatin1(entry.code);
  const sections = [
    Buffer.from(about),
    Buffer.from(source),
    Buffer.from(entry.head),
    Buffer.from(entry.code, oneByte ? 'latin1' : 'utf8'),
    Buffer.from(entry.map),
    Buffer.from(entry.table),
    Buffer.from(entry.lowered),
    entry.compiled,
  ];
  const numbers = Buffer.alloc(NUMBERS);
  sections.forEach((section, i) => numbers.writeUInt32LE(section.length, i * 4));
  numbers.writeUInt32LE(oneByte ? 1 : 0, SECTIONS * 4);
  return sealed(MAGIC, numbers, ...sections);
}

/** What a file holds, if it was made of just this. */
export function readEntry(file: string, origin: CacheOrigin): CacheEntry | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch {
    return undefined;
  }
  return decodeEntry(bytes, origin);
}

export function decodeEntry(file: Buffer, { about, source }: CacheOrigin): CacheEntry | undefined {
  const bytes = unsealed(MAGIC, file);
  if (bytes === undefined || bytes.length < NUMBERS) return undefined;
  let at = NUMBERS;
  const sections = Array.from({ length: SECTIONS }, (_, i) => {
    const from = at;
    at += bytes.readUInt32LE(i * 4);
    return bytes.subarray(from, at);
  });
  if (at !== bytes.length) return undefined;
  const [ofAbout, ofSource, head, code, map, table, lowered, compiled] = sections as Sections;
  if (ofAbout.toString() !== about || ofSource.toString() !== source) return undefined;
  const oneByte = bytes.readUInt32LE(SECTIONS * 4) === 1;
  return {
    head: head.toString(),
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

type Sections = [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
