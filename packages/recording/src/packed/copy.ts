// A recording that goes on, as it is at one moment, in a directory of its own: whoever writes it is not kept from anything, and what retention deletes there stays here. What is whole is not
// copied where it can be the same file; traces grow, and are taken as long as they were.
import { constants, copyFileSync, linkSync, mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MANIFEST, SNAPSHOTS, SOURCES, TRACES } from '../layout.ts';
import { systemCode } from '../recording-error.ts';
import { DIRECTORY_MODE, FILE_MODE } from '../whole-file.ts';
import { momentOf } from './pack.ts';

/** @param into a directory that is there and empty */
export function copyRecording(directory: string, into: string): void {
  const { manifest, grown, sources } = momentOf(directory);
  for (const inner of [SOURCES, SNAPSHOTS, TRACES]) mkdirSync(join(into, inner), { mode: DIRECTORY_MODE });
  for (const { name, length } of [...grown, ...sources]) {
    const [from, to] = [join(directory, name), join(into, name)];
    unlessGone(() => {
      if (!name.startsWith(TRACES) && isLinked(from, to)) return;
      copyFileSync(from, to, constants.COPYFILE_FICLONE);
      truncateSync(to, length);
    });
  }
  writeFileSync(join(into, MANIFEST), manifest, { mode: FILE_MODE });
}

/** Another file system, or one without links, takes a copy. */
function isLinked(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw error;
    return false;
  }
}

/** What has just been deleted to make room is the oldest: what is left is what the recording is then. */
function unlessGone(copy: () => void): void {
  try {
    copy();
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw error;
  }
}
