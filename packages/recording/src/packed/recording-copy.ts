// A recording that goes on, as it is at one moment, in a directory of its own: whoever writes it is not kept from anything, and what retention deletes there stays here. What is whole is not
// copied where it can be the same file; traces grow, and are taken as long as they were.
import { constants, copyFileSync, linkSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST_FILE, SNAPSHOTS_DIRECTORY, SOURCES_DIRECTORY, TRACES_DIRECTORY } from '../file-names.ts';
import { systemCode } from '../recording-error.ts';
import { DIRECTORY_MODE, FILE_MODE } from '../atomic-file.ts';
import { listRecordingFiles } from './pack.ts';

/** @param target a directory that is there and empty */
export function copyRecording(directory: string, target: string): void {
  const { manifest, dataFiles, sourceFiles } = listRecordingFiles(directory);
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
  writeFileSync(join(target, MANIFEST_FILE), manifest, { mode: FILE_MODE });
}

/** Another file system, or one without links, takes a copy. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw error;
    return false;
  }
}

/** What has just been deleted to make room is the oldest: what is left is what the recording is then. */
function ignoreMissing(copy: () => void): void {
  try {
    copy();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
