// Unpacks a packed recording to a directory: completely or not at all, without touching existing files.

import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  statfsSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { openFileSource } from '../file-source.ts';
import {
  MANIFEST_FILE,
  parseRecordingName,
  recordingName,
  SNAPSHOTS_DIRECTORY,
  SOURCES_DIRECTORY,
  TRACES_DIRECTORY,
} from '../file-names.ts';
import { decodeManifest } from '../manifest.ts';
import { misuseError, RecordingError } from '../recording-error.ts';
import { DIRECTORY_MODE, FILE_MODE, writeAll } from '../atomic-file.ts';
import type { PackProgress } from './pack.ts';
import { damagedPackError, isPackedHeader, PACKED_HEADER_BYTES } from './packed-format.ts';
import { readPackedManifest } from './packed-manifest.ts';
import { PackedReader, type PackedPiece } from './packed-reader.ts';
import { checkUnpackLimits, type UnpackLimits } from './unpack-limits.ts';

export interface UnpackedRecording {
  readonly directory: string;
  readonly files: number;
  readonly bytes: number;
}

export interface UnpackOptions extends UnpackLimits {
  readonly onProgress?: PackProgress;
}

/** Number of bytes between two yields to the event loop. */
const YIELD_BYTES = 16 << 20;

/** Returns whether the file starts like a packed recording. Nothing else is checked. */
export function isPackedFile(file: string): boolean {
  try {
    const source = openFileSource(file);
    try {
      return source.size >= PACKED_HEADER_BYTES && isPackedHeader(source.read(0, PACKED_HEADER_BYTES));
    } finally {
      source.close();
    }
  } catch {
    return false;
  }
}

/**
 * Unpacks the recording into a directory of recordings, under its original name. An error leaves nothing behind.
 * @throws {RecordingError} if the file is damaged or exceeds a limit, or the recording already exists
 */
export async function unpackRecording(
  file: string,
  recordings: string,
  { onProgress = () => {}, ...limits }: UnpackOptions = {},
): Promise<UnpackedRecording> {
  const source = openFileSource(file);
  const packedBytes = source.size;
  const reader = new PackedReader(source);
  let firstCreated: string | undefined;
  let temporary: string | undefined;
  try {
    checkUnpackLimits({ file, packedBytes, bytes: reader.length, files: reader.files.length }, limits);
    checkFreeSpace(file, reader.length, recordings);
    const pieces = reader.pieces();
    const manifest = readPackedManifest(pieces, file);
    const directory = join(recordings, recordingNameOf(manifest, file));
    if (existsSync(directory))
      throw misuseError(`${directory} already exists; unpack the file elsewhere, or remove it`);
    firstCreated = mkdirSync(recordings, { recursive: true, mode: DIRECTORY_MODE });
    temporary = mkdtempSync(join(recordings, '.unpacking-'));
    await writeFiles(temporary, manifest, pieces, (doneBytes) => onProgress(doneBytes, reader.length));
    renameSync(temporary, directory);
    return { directory, files: reader.files.length, bytes: reader.length };
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    if (firstCreated !== undefined) removeCreated(resolve(recordings), resolve(firstCreated));
    throw error;
  } finally {
    reader.close();
  }
}

function checkFreeSpace(file: string, length: number, recordings: string): void {
  const { bavail, bsize } = statfsSync(nearestDirectory(recordings));
  if (length <= bavail * bsize) return;
  throw new RecordingError(
    'TT_RECORDING_TOO_LARGE',
    `${file} holds ${length} bytes, but ${recordings} has only ${bavail * bsize} free; free some space, or unpack it elsewhere`,
    { file },
  );
}

/** The directory, or the nearest one above it that exists. */
function nearestDirectory(path: string): string {
  let directory = resolve(path);
  while (!existsSync(directory)) directory = dirname(directory);
  return directory;
}

/** Removes empty directories, from the last one up to the first. */
function removeCreated(last: string, first: string): void {
  try {
    for (let directory = last; directory.length >= first.length; directory = dirname(directory)) rmdirSync(directory);
  } catch {
    // Not empty.
  }
}

function recordingNameOf(manifest: Uint8Array, file: string): string {
  const { created, pid } = decodeManifest(manifest, join(file, MANIFEST_FILE));
  const name = recordingName(new Date(created), pid);
  if (parseRecordingName(name) === undefined)
    throw damagedPackError(file, PACKED_HEADER_BYTES, 'a valid creation date');
  return name;
}

async function writeFiles(
  directory: string,
  manifest: Uint8Array,
  pieces: Iterable<PackedPiece>,
  onProgress: (doneBytes: number) => void,
): Promise<void> {
  for (const subdirectory of [SOURCES_DIRECTORY, SNAPSHOTS_DIRECTORY, TRACES_DIRECTORY])
    mkdirSync(join(directory, subdirectory), { mode: DIRECTORY_MODE });
  let descriptor: number | undefined;
  let [doneBytes, yieldedAt] = [manifest.length, 0];
  try {
    descriptor = createFile(join(directory, MANIFEST_FILE));
    writeAll(descriptor, manifest);
    closeSync(descriptor);
    descriptor = undefined;
    for (const { file, bytes, isLast } of pieces) {
      descriptor ??= createFile(join(directory, file.name));
      writeAll(descriptor, bytes);
      if (isLast) {
        closeSync(descriptor);
        descriptor = undefined;
      }
      doneBytes += bytes.length;
      onProgress(doneBytes);
      if (doneBytes - yieldedAt < YIELD_BYTES) continue;
      yieldedAt = doneBytes;
      await yieldToEventLoop();
    }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function createFile(path: string): number {
  return openSync(path, 'wx', FILE_MODE);
}
