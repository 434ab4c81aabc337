// A directory of recordings for one test, and the few things of the package that tests need from behind its door.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { describeProcess, type Manifest, type ProcessDescription } from '@turntable/recording';

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
