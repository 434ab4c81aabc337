// Texts of modules, in one compressed file per SHA-256. A file is written once, and its digest is checked on reading.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { readFile } from './file-source.ts';
import { sourceFileName, SOURCES_DIRECTORY } from './file-names.ts';
import { isSha256 } from './manifest.ts';
import { damagedError, misuseError } from './recording-error.ts';
import type { RecordingSeal } from './sealed/recording-seal.ts';
import { DEFAULT_COMPRESSION_LEVEL } from './snapshot-format.ts';

const MAX_SOURCE_BYTES = 128 << 20;
const WINDOW_LOG = 27;

export function sha256Of(source: string): string {
  return createHash('sha256').update(source).digest('hex');
}

export function sourcePath(recording: string, sha256: string): string {
  if (!isSha256(sha256)) throw misuseError(`${JSON.stringify(sha256)} is not a SHA-256 digest`);
  return join(recording, SOURCES_DIRECTORY, sourceFileName(sha256));
}

export function encodeSource(source: string): Uint8Array {
  return zstdCompressSync(source, { params: { [constants.ZSTD_c_compressionLevel]: DEFAULT_COMPRESSION_LEVEL } });
}

export function readSource(recording: string, sha256: string, seal?: RecordingSeal): string {
  const path = sourcePath(recording, sha256);
  const bytes = readFile(path, MAX_SOURCE_BYTES, seal);
  let source: string;
  let frameBytes: number;
  try {
    // With `info`, the declared result is that without.
    const { buffer, engine } = zstdDecompressSync(bytes, {
      info: true,
      maxOutputLength: MAX_SOURCE_BYTES,
      params: { [constants.ZSTD_d_windowLogMax]: WINDOW_LOG },
    }) as unknown as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
    source = buffer.toString();
    frameBytes = engine.bytesWritten;
  } catch (error) {
    throw damagedError(path, 0, 'a zstd frame with the text of a module', error);
  }
  if (frameBytes !== bytes.length) throw damagedError(path, frameBytes, 'the end of the file after the zstd frame');
  if (sha256Of(source) !== sha256) throw damagedError(path, 0, 'the text whose SHA-256 is its name');
  return source;
}
