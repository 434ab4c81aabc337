// A directory of recordings for one test, and internals of the package that tests need.
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

/** All names in a directory. */
export function filesIn(directory: string): string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();
}

export const UNSHARE = 'unshare';

/** Returns whether a disk of limited size can be mounted here. */
export const canMount = ((): boolean => {
  try {
    execFileSync(UNSHARE, ['-rm', 'sh', '-c', 'mount -t tmpfs -o size=100k none /mnt'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** Adds chunks and commits with their number. @param fed number of chunks added by feeds */
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
