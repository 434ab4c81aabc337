// Packs a recording into one file. An active recording is packed as it is now: a trace that grows meanwhile is cut at
// its first length. A file that retention deletes meanwhile is an error.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { openRawSource } from '../file-source.ts';
import { MANIFEST_FILE, parseSourceFileName, SOURCES_DIRECTORY } from '../file-names.ts';
import type { FileSize } from '../manifest.ts';
import { misuseError, missingError, RecordingError } from '../recording-error.ts';
import { fileSizes, listDataFiles, listNames, readManifestWithBytes } from '../recordings.ts';
import { AtomicFile } from '../atomic-file.ts';
import {
  encodeDirectory,
  encodePackedBlock,
  encodePackedHeader,
  PACKED_BLOCK_BYTES,
  type PackedFile,
} from './packed-format.ts';

/** Reports the number of processed bytes and the total. */
export type PackProgress = (doneBytes: number, total: number) => void;

export interface PackedRecording {
  readonly file: string;
  readonly files: number;
  /** Size of all files of the recording. `bytes` is the size of the packed file. */
  readonly length: number;
  readonly bytes: number;
}

// Higher than the level of recordings: a packed file is made for transfer, so its size matters more than the time.
const PACK_LEVEL = 6;
/** Number of bytes between two yields to the event loop. */
const YIELD_BYTES = 16 << 20;

/** Packs a recording into a new file. @throws {RecordingError} if the recording cannot be read, or the file exists */
export async function packRecording(
  directory: string,
  file: string,
  onProgress: PackProgress = () => {},
): Promise<PackedRecording> {
  if (existsSync(file)) throw misuseError(`${file} already exists; name another file, or remove it`);
  const { manifest, dataFiles, sourceFiles } = listRecordingFiles(directory);
  const files = [{ name: MANIFEST_FILE, length: manifest.length }, ...sourceFiles, ...dataFiles];
  const length = files.reduce((sum, each) => sum + each.length, 0);
  const output = new PackWriter(file);
  try {
    output.add(encodeDirectory(files));
    output.add(manifest);
    let [doneBytes, yieldedAt] = [manifest.length, 0];
    for (const each of files.slice(1))
      for (const bytes of readContent(directory, each)) {
        output.add(bytes);
        doneBytes += bytes.length;
        onProgress(doneBytes, length);
        if (doneBytes - yieldedAt < YIELD_BYTES) continue;
        yieldedAt = doneBytes;
        await yieldToEventLoop();
      }
    return { file, files: files.length, length, bytes: output.finish() };
  } catch (error) {
    output.abandon();
    throw error;
  }
}

/** Files of a possibly active recording: the manifest's bytes, and the lengths of the others. */
export interface RecordingFiles {
  readonly manifest: Uint8Array;
  readonly dataFiles: readonly PackedFile[];
  readonly sourceFiles: readonly PackedFile[];
}

export function listRecordingFiles(directory: string): RecordingFiles {
  // Listed in the reverse order of writing: snapshots need the manifest, and the manifest needs the sources.
  const dataFiles = listDataFiles(directory).map(toPackedFile);
  const { bytes: manifest } = readManifestWithBytes(directory);
  return { manifest, dataFiles, sourceFiles: fileSizes(directory, sourceNames(directory)).map(toPackedFile) };
}

class PackWriter {
  readonly #path: string;
  readonly #file: AtomicFile;
  readonly #hash = createHash('sha256');
  #contentOffset = 0;
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = this.#attempt(() => new AtomicFile(path));
    this.#write(encodePackedHeader());
  }

  add(content: Uint8Array): void {
    for (const piece of encodePackedBlock(content, this.#contentOffset, PACK_LEVEL)) this.#write(piece);
    this.#contentOffset += content.length;
  }

  /** Returns the size of the packed file. */
  finish(): number {
    this.#write(this.#hash.digest(), false);
    this.#attempt(() => this.#file.commit());
    return this.#bytes;
  }

  abandon(): void {
    this.#file.abandon();
  }

  #write(bytes: Uint8Array, isHashed = true): void {
    if (isHashed) this.#hash.update(bytes);
    this.#attempt(() => this.#file.write(bytes));
    this.#bytes += bytes.length;
  }

  #attempt<R>(action: () => R): R {
    try {
      return action();
    } catch (error) {
      const reason = (error as Error).message;
      throw new RecordingError('TT_RECORDING_WRITE', `${this.#path} cannot be written: ${reason}`, { cause: error });
    }
  }
}

function sourceNames(directory: string): string[] {
  return listNames(join(directory, SOURCES_DIRECTORY))
    .filter((name) => parseSourceFileName(name) !== undefined)
    .toSorted()
    .map((name) => `${SOURCES_DIRECTORY}/${name}`);
}

function toPackedFile([name, length]: FileSize): PackedFile {
  return { name, length };
}

function* readContent(directory: string, { name, length }: PackedFile): Generator<Uint8Array, void, undefined> {
  const path = join(directory, name);
  let source;
  try {
    source = openRawSource(path);
  } catch (error) {
    if (!(error instanceof RecordingError && error.code === 'TT_RECORDING_MISSING')) throw error;
    throw missingError(
      path,
      'retention has just deleted it',
      'pack the recording again, or after the program has ended',
      error,
    );
  }
  try {
    for (let offset = 0; offset < length; offset += PACKED_BLOCK_BYTES)
      yield source.read(offset, Math.min(PACKED_BLOCK_BYTES, length - offset));
  } finally {
    source.close();
  }
}
