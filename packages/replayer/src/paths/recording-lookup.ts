// Finds the recordings in a directory, and chooses the recording that a restore uses.
import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listRecordings, openRecording, RecordingError, type RecordingEntry } from '@turntable/recording';

export function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Recordings in a directory, newest first. @throws if there are none */
export function recordingsNewestFirst(directory: string): RecordingEntry[] {
  const recordings = listRecordings(directory).toReversed();
  if (recordings.length > 0) return recordings;
  const remedy = 'make one with turntable record FILE, or list recordings with turntable ls';
  throw new RecordingError('TT_RECORDING_MISSING', `there is no recording in ${directory}; ${remedy}`);
}

/**
 * Directory of the recording to restore: `directory` itself if it is a recording. Otherwise the newest recording in it
 * that has a snapshot or was restored from one, or the newest of all if there is none.
 */
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
    return isReported(error);
  }
}

/**
 * Returns whether an error of opening a recording must be reported. Otherwise the recording has no manifest, because it
 * has just started or ended very early, and an older recording may be used instead.
 */
export function isReported(error: unknown): boolean {
  if (error instanceof RecordingError) return error.code !== 'TT_RECORDING_MISSING';
  throw error;
}
