// Which recording a directory means: itself, or the last one in it.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listRecordings } from '@turntable/recording';

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The directory of a recording; of several the last that has a snapshot, if any has. */
export function recordingIn(directory: string): string {
  if (existsSync(join(directory, 'manifest.json'))) return directory;
  const all = listRecordings(directory).toReversed();
  const found = all.find((each) => existsSync(join(each.directory, 'snapshots'))) ?? all[0];
  return found?.directory ?? directory;
}
