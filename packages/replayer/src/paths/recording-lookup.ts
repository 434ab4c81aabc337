// Which recording a directory means: itself, or the last one in it.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listRecordings, openRecording, RecordingError, type RecordingEntry } from '@turntable/recording';

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Those in a directory, the last one first; an error, if there is none. */
export function recordingsNewestFirst(directory: string): RecordingEntry[] {
  const recordings = listRecordings(directory).toReversed();
  if (recordings.length > 0) return recordings;
  const remedy = 'turntable record FILE makes one, and turntable ls lists what there is';
  throw new RecordingError('TT_RECORDING_MISSING', `there is no recording in ${directory}; ${remedy}`);
}

/** The directory of a recording; of several the last that has a snapshot or has gone on from one, if any has. */
export function resolveRecording(directory: string): string {
  if (existsSync(join(directory, 'manifest.json'))) return directory;
  const recordings = recordingsNewestFirst(directory);
  const found = recordings.find((each) => isRestorable(each.directory)) ?? recordings[0];
  return found?.directory ?? directory;
}

function isRestorable(directory: string): boolean {
  try {
    const recording = openRecording(directory);
    return recording.manifest.restoredFrom !== null || recording.snapshots().length > 0;
  } catch (error) {
    // One that ended very early has not even a manifest; one that begins has none yet.
    if (error instanceof RecordingError) return false;
    throw error;
  }
}
