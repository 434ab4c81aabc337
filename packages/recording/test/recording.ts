// A directory of recordings for one test, and the few things of the package that tests need from behind its door.
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
