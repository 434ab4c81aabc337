// Gives commands the directory of a recording. A packed recording is unpacked into a temporary directory, which is
// deleted however the process ends, except by SIGKILL.
import { accessSync, constants, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPackedFile, unpackRecording } from '@turntable/recording/packed';
import { ProgressLine } from '../output/progress.ts';
import { isDirectory } from './recording-lookup.ts';
import { formatSize } from '../output/wording.ts';

const EXIT_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/** The reason why `withRecording` cannot use the path; undefined if it can. */
export function recordingPathProblem(path: string): string | undefined {
  if (isDirectory(path) || isPackedFile(path)) return undefined;
  if (!existsSync(path)) return `there is no directory or packed recording ${path}`;
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    return `${path} cannot be read: ${(error as Error).message}`;
  }
  if (path.endsWith('.age')) return `${path} is encrypted; unpack it first: turntable unpack --identity FILE ${path}`;
  return `${path} is neither a directory nor a packed recording`;
}

/** Calls `use` with the directory of the recording. If it was unpacked, `name` is the packed file, for messages. */
export async function withRecording<T>(
  path: string,
  use: (directory: string, name?: string) => Promise<T>,
): Promise<T> {
  if (isDirectory(path)) return use(path);
  using temporaryDirectory = new TemporaryDirectory();
  return await use(await unpackWithProgress(path, temporaryDirectory.path), path);
}

async function unpackWithProgress(file: string, target: string): Promise<string> {
  const progress = new ProgressLine();
  try {
    const { directory } = await unpackRecording(file, target, {
      onProgress: (done, total) => progress.show(() => `unpacking ${formatSize(done)} of ${formatSize(total)}`),
    });
    return directory;
  } finally {
    progress.clear();
  }
}

/** The temporary directories of this process. They share one listener of each signal. */
const temporaryDirectories = new Set<TemporaryDirectory>();

function disposeAll(): void {
  for (const directory of temporaryDirectories) directory[Symbol.dispose]();
}

function onSignal(signal: NodeJS.Signals): void {
  // If there is another listener, it decides when the process ends.
  if (process.listenerCount(signal) > 1) return;
  disposeAll();
  process.kill(process.pid, signal);
}

/** A temporary directory, deleted on disposal or at the end of the process. */
export class TemporaryDirectory implements Disposable {
  readonly path: string;

  /** @param prefix start of the path (default: in the system's directory for temporary files) */
  constructor(prefix: string = join(tmpdir(), 'turntable-')) {
    this.path = mkdtempSync(prefix);
    if (temporaryDirectories.size === 0) {
      process.on('exit', disposeAll);
      for (const signal of EXIT_SIGNALS) process.on(signal, onSignal);
    }
    temporaryDirectories.add(this);
  }

  [Symbol.dispose](): void {
    temporaryDirectories.delete(this);
    if (temporaryDirectories.size === 0) {
      process.off('exit', disposeAll);
      for (const signal of EXIT_SIGNALS) process.off(signal, onSignal);
    }
    rmSync(this.path, { recursive: true, force: true });
  }
}
