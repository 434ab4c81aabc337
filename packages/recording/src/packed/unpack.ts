// A packed recording as a directory again. It is there whole or not at all, and nothing that is there already is touched.

import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, renameSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileSource } from '../file-source.ts';
import { MANIFEST, parseRecordingName, recordingName, SNAPSHOTS, SOURCES, TRACES } from '../layout.ts';
import { decodeManifest, MANIFEST_LIMIT } from '../manifest.ts';
import { misuse, RecordingError } from '../recording-error.ts';
import { DIRECTORY_MODE, FILE_MODE, writeAll } from '../whole-file.ts';
import type { Told } from './pack.ts';
import { damagedPack, isPackedHeader, PACKED_HEADER } from './packed-format.ts';
import { PackedReader, type PackedPiece } from './packed-reader.ts';

export interface Unpacked {
  readonly directory: string;
  readonly files: number;
  readonly bytes: number;
}

/** Bytes between two looks of the process at what else there is. */
const STRETCH = 16 << 20;

/** Whether a file is one; nothing of it is checked but how it begins. */
export function isPacked(file: string): boolean {
  try {
    const source = fileSource(file);
    try {
      return source.size >= PACKED_HEADER && isPackedHeader(source.read(0, PACKED_HEADER));
    } finally {
      source.close();
    }
  } catch {
    return false;
  }
}

/**
 * Makes the recording, under the name it had, in a directory of recordings.
 * @throws {RecordingError} if the file is no whole one, or the recording is there already
 */
export async function unpackRecording(file: string, recordings: string, told: Told = () => {}): Promise<Unpacked> {
  const reader = new PackedReader(fileSource(file));
  mkdirSync(recordings, { recursive: true, mode: DIRECTORY_MODE });
  let temporary: string | undefined;
  try {
    checkRoom(file, reader.length, recordings);
    const pieces = reader.pieces();
    const manifest = manifestIn(pieces, file);
    const directory = join(recordings, nameOf(manifest, file));
    if (existsSync(directory)) throw misuse(`${directory} is there already; unpack it elsewhere, or remove it`);
    temporary = mkdtempSync(join(recordings, '.unpacking-'));
    await write(temporary, manifest, pieces, (done) => told(done, reader.length));
    renameSync(temporary, directory);
    return { directory, files: reader.files.length, bytes: reader.length };
  } catch (error) {
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true });
    throw error;
  } finally {
    reader.close();
  }
}

function checkRoom(file: string, length: number, recordings: string): void {
  const { bavail, bsize } = statfsSync(recordings);
  if (length <= bavail * bsize) return;
  throw new RecordingError(
    'TT_RECORDING_TOO_LARGE',
    `${file} holds ${length} bytes, and ${recordings} has room for ${bavail * bsize}; make room, or unpack it elsewhere`,
    { file },
  );
}

/** The first of the files. */
function manifestIn(pieces: Iterator<PackedPiece>, file: string): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let length = 0; ;) {
    const { value } = pieces.next();
    if (value === undefined) throw damagedPack(file, PACKED_HEADER, 'a manifest');
    const { bytes, isLast } = value as PackedPiece;
    parts.push(bytes);
    length += bytes.length;
    if (length > MANIFEST_LIMIT)
      throw damagedPack(file, PACKED_HEADER, `a manifest of at most ${MANIFEST_LIMIT} bytes`);
    if (isLast) return Buffer.concat(parts);
  }
}

function nameOf(manifest: Uint8Array, file: string): string {
  const { created, pid } = decodeManifest(manifest, join(file, MANIFEST));
  const name = recordingName(new Date(created), pid);
  if (parseRecordingName(name) === undefined) throw damagedPack(file, PACKED_HEADER, 'a recording of our time');
  return name;
}

async function write(
  directory: string,
  manifest: Uint8Array,
  pieces: Iterable<PackedPiece>,
  told: (done: number) => void,
): Promise<void> {
  for (const place of [SOURCES, SNAPSHOTS, TRACES]) mkdirSync(join(directory, place), { mode: DIRECTORY_MODE });
  let descriptor: number | undefined;
  let [done, rested] = [manifest.length, 0];
  try {
    descriptor = create(join(directory, MANIFEST));
    writeAll(descriptor, manifest);
    closeSync(descriptor);
    descriptor = undefined;
    for (const { file, bytes, isLast } of pieces) {
      descriptor ??= create(join(directory, file.name));
      writeAll(descriptor, bytes);
      if (isLast) {
        closeSync(descriptor);
        descriptor = undefined;
      }
      done += bytes.length;
      told(done);
      if (done - rested < STRETCH) continue;
      rested = done;
      await turn();
    }
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

function create(path: string): number {
  return openSync(path, 'wx', FILE_MODE);
}
