// The texts of modules, each under its SHA-256 in a file of its own: written once, compressed, compared with its name when read.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { readWhole } from './file-source.ts';
import { sourceName, SOURCES } from './layout.ts';
import { isDigest } from './manifest.ts';
import { damaged, misuse } from './recording-error.ts';
import { DEFAULT_LEVEL } from './snapshot-format.ts';

/** Of one text. */
const SOURCE_LIMIT = 128 << 20;
const WINDOW_LOG = 27;

export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

export function sourcePath(recording: string, sha256: string): string {
  if (!isDigest(sha256)) throw misuse(`${JSON.stringify(sha256)} is not the SHA-256 of a text`);
  return join(recording, SOURCES, sourceName(sha256));
}

export function encodeSource(text: string): Uint8Array {
  return zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: DEFAULT_LEVEL } });
}

export function readSource(recording: string, sha256: string): string {
  const path = sourcePath(recording, sha256);
  const bytes = readWhole(path, SOURCE_LIMIT);
  let text: string;
  try {
    text = zstdDecompressSync(bytes, {
      maxOutputLength: SOURCE_LIMIT,
      params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG },
    }).toString();
  } catch (error) {
    throw damaged(path, 0, 'a zstd frame with the text of a module', error);
  }
  if (digestOf(text) !== sha256) throw damaged(path, 0, 'the text whose SHA-256 is its name');
  return text;
}
