// Copies a recording with another key, or without a seal. All of it is read with its own key, so a copy is made of a
// verified recording only. The copy is on the disk when it gets its name.

import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { AtomicFile, DIRECTORY_MODE, syncToDisk, writeFileAtomically } from '../atomic-file.ts';
import {
  MANIFEST_FILE,
  SNAPSHOTS_DIRECTORY,
  SOURCES_DIRECTORY,
  TRACES_DIRECTORY,
  unfinishedName,
} from '../file-names.ts';
import { openFileSource } from '../file-source.ts';
import { encodeManifest, newRecordingId } from '../manifest.ts';
import type { Recording } from '../recording.ts';
import { misuseError } from '../recording-error.ts';
import { listDataFiles, listSourceFiles } from '../recordings.ts';
import { RecordingSeal, sealForReading } from '../sealed/recording-seal.ts';
import { copySources } from './redacted-copy.ts';

export interface ResealedRecording {
  readonly directory: string;
  readonly files: number;
  /** Size of the traces and snapshots. */
  readonly bytes: number;
}

/** Number of bytes that are copied at once. */
const COPY_BYTES = 1 << 20;

/**
 * Writes the copy into a directory of recordings, under the name of the original.
 * @param key key of the copy; undefined for a copy without a seal
 * @throws {RecordingError} if a part of the recording is not as it was sealed, or the copy exists
 */
export async function resealRecording(
  recording: Recording,
  recordings: string,
  key: Uint8Array | undefined,
): Promise<ResealedRecording> {
  const name = basename(recording.directory);
  const directory = join(recordings, name);
  if (existsSync(directory)) throw misuseError(`${directory} already exists; name another directory, or remove it`);
  const unfinished = join(recordings, unfinishedName(name));
  rmSync(unfinished, { recursive: true, force: true });
  try {
    const copied = await writeCopy(recording, unfinished, key);
    renameSync(unfinished, directory);
    syncToDisk(recordings);
    return { directory, ...copied };
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    throw error;
  }
}

async function writeCopy(
  recording: Recording,
  target: string,
  key: Uint8Array | undefined,
): Promise<Omit<ResealedRecording, 'directory'>> {
  const directories = [SOURCES_DIRECTORY, SNAPSHOTS_DIRECTORY, TRACES_DIRECTORY].map((name) => join(target, name));
  for (const directory of directories) mkdirSync(directory, { recursive: true, mode: DIRECTORY_MODE });
  const id = newRecordingId();
  const seal = key === undefined ? undefined : new RecordingSeal(id, key);
  copySources(recording, target, seal);
  const ownSeal = sealForReading(recording.manifest);
  let bytes = 0;
  for (const [name] of listDataFiles(recording.directory))
    bytes += await copyContent(join(recording.directory, name), ownSeal, new AtomicFile(join(target, name), seal));
  const { files, ...manifest } = { ...recording.manifest, id };
  const dataFiles = listDataFiles(target);
  const copiedManifest = files === undefined ? manifest : { ...manifest, files: dataFiles };
  writeFileAtomically(join(target, MANIFEST_FILE), encodeManifest(copiedManifest, seal), false);
  const sourceFiles = listSourceFiles(target);
  const names = [MANIFEST_FILE, ...sourceFiles, ...dataFiles.map(([name]) => name)];
  for (const path of [...names.map((name) => join(target, name)), ...directories, target]) syncToDisk(path);
  return { files: names.length, bytes };
}

/** Returns the size of the content. */
async function copyContent(path: string, seal: RecordingSeal | undefined, target: AtomicFile): Promise<number> {
  try {
    const source = openFileSource(path, seal);
    try {
      for (let offset = 0; offset < source.size; offset += COPY_BYTES) {
        target.write(source.read(offset, Math.min(COPY_BYTES, source.size - offset)));
        await yieldToEventLoop();
      }
      target.commit(false);
      return source.size;
    } finally {
      source.close();
    }
  } catch (error) {
    target.abandon();
    throw error;
  }
}
