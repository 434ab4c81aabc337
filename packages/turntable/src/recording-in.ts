// Which recording a directory means: itself, or the last one in it.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listRecordings, openRecording, RecordingError } from '@turntable/recording';

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The directory of a recording; of several the last that has a snapshot or has gone on from one, if any has. */
export function recordingIn(directory: string): string {
  if (existsSync(join(directory, 'manifest.json'))) return directory;
  const all = listRecordings(directory).toReversed();
  const found = all.find((each) => isOfUse(each.directory)) ?? all[0];
  return found?.directory ?? directory;
}

function isOfUse(directory: string): boolean {
  try {
    const recording = openRecording(directory);
    return recording.manifest.continues !== null || recording.snapshots().length > 0;
  } catch (error) {
    // One that ended very early has not even a manifest; one that begins has none yet.
    if (error instanceof RecordingError) return false;
    throw error;
  }
}
