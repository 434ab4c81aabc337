// Writes ZIP archives with fixed times, so that the same files give the same bytes.
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  /** Path in the archive, with slashes. */
  readonly path: string;
  readonly content: Uint8Array;
}

const LOCAL_FILE = 0x04034b50;
const CENTRAL_FILE = 0x02014b50;
const END_OF_DIRECTORY = 0x06054b50;
/** Version 2.0: compression by deflate. */
const VERSION_NEEDED = 20;
/** Flag: paths are UTF-8. */
const UTF8_PATHS = 1 << 11;
const DEFLATE = 8;
/** 1 January 1980, the earliest date of the format. */
const DATE = (1 << 5) | 1;

/** Returns the bytes of an archive. Entries keep their order. */
export function zip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { path, content } of entries) {
    const name = Buffer.from(path);
    const compressed = deflateRawSync(content);
    // The part that both headers have.
    const common = Buffer.alloc(26);
    common.writeUInt16LE(VERSION_NEEDED, 0);
    common.writeUInt16LE(UTF8_PATHS, 2);
    common.writeUInt16LE(DEFLATE, 4);
    common.writeUInt16LE(DATE, 8);
    common.writeUInt32LE(crc32(content), 10);
    common.writeUInt32LE(compressed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    const local = [uint32(LOCAL_FILE), common, name, compressed];
    const madeBy = Buffer.alloc(2);
    madeBy.writeUInt16LE(VERSION_NEEDED);
    // Comment, disk and attributes are all 0.
    directory.push(uint32(CENTRAL_FILE), madeBy, common, Buffer.alloc(10), uint32(offset), name);
    files.push(...local);
    offset += local.reduce((sum, { length }) => sum + length, 0);
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directoryBytes.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, directoryBytes, uint32(END_OF_DIRECTORY), end]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
