// Copies an active recording as it is at one moment, without disturbing its writer. Complete files are linked if
// possible. Traces may grow meanwhile, so they are copied and cut at their first length.
import { constants, copyFileSync, linkSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  MANIFEST_FILE,
  MODULE_LOG_FILE,
  SNAPSHOTS_DIRECTORY,
  SOURCES_DIRECTORY,
  TRACES_DIRECTORY,
} from '../file-names.ts';
import { systemCode } from '../recording-error.ts';
import { DIRECTORY_MODE, FILE_MODE } from '../atomic-file.ts';
import { listRecordingFiles } from './pack.ts';

/** @param target an existing, empty directory */
export function copyRecording(directory: string, target: string): void {
  const { manifest, moduleLog, dataFiles, sourceFiles } = listRecordingFiles(directory);
  for (const inner of [SOURCES_DIRECTORY, SNAPSHOTS_DIRECTORY, TRACES_DIRECTORY])
    mkdirSync(join(target, inner), { mode: DIRECTORY_MODE });
  for (const { name, length } of [...dataFiles, ...sourceFiles]) {
    const [source, destination] = [join(directory, name), join(target, name)];
    ignoreMissing(() => {
      if (!name.startsWith(TRACES_DIRECTORY) && tryLink(source, destination)) return;
      copyFileSync(source, destination, constants.COPYFILE_FICLONE);
      truncateSync(destination, length);
    });
  }
  if (moduleLog.length > 0) writeFileSync(join(target, MODULE_LOG_FILE), moduleLog, { mode: FILE_MODE });
  writeFileSync(join(target, MANIFEST_FILE), manifest, { mode: FILE_MODE });
}

/** Links a file. Returns false where links are impossible, as between file systems; the caller must then copy. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw error;
    return false;
  }
}

/** Ignores a deleted file: retention deletes the oldest files first, so the others are still a valid recording. */
function ignoreMissing(copy: () => void): void {
  try {
    copy();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
