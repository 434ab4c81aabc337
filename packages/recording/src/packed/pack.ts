// Packs a recording into one file. An active recording is packed as it is now: a trace that grows meanwhile is cut at
// its first length. A file that retention deletes meanwhile is an error.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { openRawSource, readFile } from '../file-source.ts';
import { MANIFEST_FILE, MODULE_LOG_FILE } from '../file-names.ts';
import { decodeManifest, MAX_MANIFEST_BYTES, type FileSize } from '../manifest.ts';
import { readModuleLogBytes } from '../module-log.ts';
import { misuseError, missingError, RecordingError } from '../recording-error.ts';
import { fileSizes, listDataFiles, listSourceFiles } from '../recordings.ts';
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

/** Encrypts a packed recording while it is written. */
export type PackEncryption = (content: ReadableStream<Uint8Array>) => Promise<AsyncIterable<Uint8Array>>;

export interface PackOptions {
  readonly onProgress?: PackProgress;
  /** Default: none. */
  readonly encrypt?: PackEncryption | undefined;
}

/** Packs a recording into a new file. @throws {RecordingError} if the recording cannot be read, or the file exists */
export async function packRecording(
  directory: string,
  file: string,
  { onProgress = () => {}, encrypt }: PackOptions = {},
): Promise<PackedRecording> {
  if (existsSync(file)) throw misuseError(`${file} already exists; name another file, or remove it`);
  const listed = listRecordingFiles(directory);
  const { files, length } = describeFiles(listed);
  const content = packFiles(directory, listed, onProgress);
  const output = new PackOutput(file);
  try {
    for await (const bytes of encrypt === undefined ? content : await encrypt(ReadableStream.from(content)))
      output.write(bytes);
    return { file, files: files.length, length, bytes: output.finish() };
  } catch (error) {
    output.abandon();
    throw error;
  }
}

/** Files of a possibly active recording: the bytes of manifest and module log, and the lengths of the others. */
export interface RecordingFiles {
  readonly manifest: Uint8Array;
  /** Empty if there is none. */
  readonly moduleLog: Uint8Array;
  readonly dataFiles: readonly PackedFile[];
  readonly sourceFiles: readonly PackedFile[];
}

export function listRecordingFiles(directory: string): RecordingFiles {
  // Listed in the reverse order of writing: snapshots need the manifest, and the manifest needs the sources.
  const dataFiles = listDataFiles(directory).map(toPackedFile);
  const moduleLog = readModuleLogBytes(directory);
  const file = join(directory, MANIFEST_FILE);
  const manifest = readFile(file, MAX_MANIFEST_BYTES);
  decodeManifest(manifest, file);
  const sourceFiles = fileSizes(directory, listSourceFiles(directory)).map(toPackedFile);
  return { manifest, moduleLog, dataFiles, sourceFiles };
}

/** Files that are packed from memory. */
function wholeFilesOf({
  manifest,
  moduleLog,
}: RecordingFiles): { readonly name: string; readonly bytes: Uint8Array }[] {
  return [
    { name: MANIFEST_FILE, bytes: manifest },
    ...(moduleLog.length === 0 ? [] : [{ name: MODULE_LOG_FILE, bytes: moduleLog }]),
  ];
}

/** All files in their order in the packed file, and their size. */
function describeFiles(listed: RecordingFiles): { readonly files: readonly PackedFile[]; readonly length: number } {
  const wholeFiles = wholeFilesOf(listed).map(({ name, bytes }) => ({ name, length: bytes.length }));
  const files = [...wholeFiles, ...listed.sourceFiles, ...listed.dataFiles];
  return { files, length: files.reduce((sum, each) => sum + each.length, 0) };
}

/** Yields the bytes of the packed file. */
async function* packFiles(
  directory: string,
  listed: RecordingFiles,
  onProgress: PackProgress,
): AsyncGenerator<Uint8Array, void, undefined> {
  const hash = createHash('sha256');
  let contentOffset = 0;
  const block = (content: Uint8Array): readonly Uint8Array[] => {
    const pieces = encodePackedBlock(content, contentOffset, PACK_LEVEL);
    for (const piece of pieces) hash.update(piece);
    contentOffset += content.length;
    return pieces;
  };
  const header = encodePackedHeader();
  hash.update(header);
  yield header;
  const { files, length } = describeFiles(listed);
  yield* block(encodeDirectory(files));
  let [doneBytes, yieldedAt] = [0, 0];
  for (const { bytes } of wholeFilesOf(listed)) {
    yield* block(bytes);
    doneBytes += bytes.length;
  }
  for (const each of [...listed.sourceFiles, ...listed.dataFiles])
    for (const bytes of readContent(directory, each)) {
      yield* block(bytes);
      doneBytes += bytes.length;
      onProgress(doneBytes, length);
      if (doneBytes - yieldedAt < YIELD_BYTES) continue;
      yieldedAt = doneBytes;
      await yieldToEventLoop();
    }
  yield hash.digest();
}

class PackOutput {
  readonly #path: string;
  readonly #file: AtomicFile;
  #bytes = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = this.#attempt(() => new AtomicFile(path));
  }

  write(bytes: Uint8Array): void {
    this.#attempt(() => this.#file.write(bytes));
    this.#bytes += bytes.length;
  }

  /** Returns the size of the file. */
  finish(): number {
    this.#attempt(() => this.#file.commit());
    return this.#bytes;
  }

  abandon(): void {
    this.#file.abandon();
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
