// A directory of recordings for one test, and the few things of the package that tests need from behind its door.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  describeProcess,
  type JsonObject,
  type LiveRecording,
  type Manifest,
  type ProcessDescription,
} from '@turntable/recording';

export { RecordingError } from '@turntable/recording';

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'turntable-recording-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function manifestOf(description: Partial<ProcessDescription> = {}): Manifest {
  return describeProcess({ turntable: '0.1.0', workers: 2, ...description });
}

/** All names below a directory. */
export function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();
}

export const UNSHARE = 'unshare';

/** Whether a disk of a certain size can be had here. */
export const canMount = ((): boolean => {
  try {
    execFileSync(UNSHARE, ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=100k none /mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Adds to a snapshot and commits it with the number of chunks that were added here and by feeds (`fed`). */
export function openSnapshot(
  recording: LiveRecording,
  phase: number,
  metadata: JsonObject = {},
): {
  add(worker: number, name: string, bytes: Uint8Array): void;
  commit(fed?: number): ReturnType<LiveRecording['commitSnapshot']>;
} {
  let chunks = 0;
  return {
    add(worker, name, bytes) {
      if (recording.add(phase, worker, name, bytes)) chunks++;
    },
    commit: (fed = 0) => recording.commitSnapshot(phase, metadata, chunks + fed),
  };
}
