// Cache of run indexes and their checkpoints, in a directory of the user. They cannot be in the recording's directory,
// which may be read-only, must not change when the recording is opened, and is a new one after each unpacking.
// Therefore, the key of an entry is a hash of the recording's contents. An entry that is missing, unreadable or damaged
// is built again; no error reaches the caller.
import { createHash } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { encodeRunIndex, decodeRunIndex, type CachedRunIndex } from './run-index-codec.ts';
import type { RunIndex } from './run-index.ts';

const RUN_INDEX_SUFFIX = '.run-index';
/** Suffix of a directory with the checkpoints of a run index. */
const CHECKPOINTS_SUFFIX = '.checkpoints';
/** Maximum number of run indexes. Beyond it, the least recently used ones are deleted. */
const MAX_RUN_INDEXES = 16;
/** Maximum number of run indexes whose checkpoints are kept, which are far larger: the most recently used ones. */
const MAX_CHECKPOINT_SETS = 4;
const READ_CHUNK_BYTES = 1 << 20;

/**
 * Hash of everything that a run index depends on.
 * @param files names of the manifest and the traces in the recording's directory
 * @param others the first snapshot, and further dependencies that the caller knows
 */
export function runIndexKey(directory: string, files: readonly string[], ...others: readonly unknown[]): string {
  const hash = createHash('sha256').update(JSON.stringify(others));
  const bytes = Buffer.allocUnsafe(READ_CHUNK_BYTES);
  for (const name of files.toSorted()) {
    hash.update(`\0${name}\0`);
    const file = openSync(join(directory, name), 'r');
    try {
      for (let read = readSync(file, bytes); read > 0; read = readSync(file, bytes))
        hash.update(bytes.subarray(0, read));
    } finally {
      closeSync(file);
    }
  }
  return hash.digest('hex');
}

export class RunIndexCache {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  get(key: string): CachedRunIndex | undefined {
    const file = join(this.#directory, key + RUN_INDEX_SUFFIX);
    try {
      const cached = decodeRunIndex(readFileSync(file));
      const now = new Date();
      if (cached !== undefined) utimesSync(file, now, now);
      return cached;
    } catch {
      return undefined;
    }
  }

  /** Stores a run index. @param metadata plain data that is stored with it */
  put(key: string, runIndex: RunIndex, metadata: unknown): void {
    const file = join(this.#directory, key + RUN_INDEX_SUFFIX);
    const temporary = `${file}.${process.pid}`;
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      // Only the user may read the file, which contains names of actors and errors of the program.
      writeFileSync(temporary, encodeRunIndex(runIndex, metadata), { mode: 0o600 });
      renameSync(temporary, file);
      this.#deleteOld();
    } catch {
      removeIfPossible(temporary);
    }
  }

  /** Directory of the checkpoints of a run index. It may not exist. */
  checkpointDirectory(key: string): string {
    return join(this.#directory, key + CHECKPOINTS_SUFFIX);
  }

  /** Creates a temporary directory in which the caller writes checkpoints; undefined if that fails. */
  createCheckpointRoom(key: string): string | undefined {
    const room = `${this.checkpointDirectory(key)}.${process.pid}`;
    try {
      mkdirSync(room, { recursive: true, mode: 0o700 });
      return room;
    } catch {
      return undefined;
    }
  }

  /**
   * Stores checkpoints, after their run index, and deletes the temporary directory.
   * @param directory the checkpoints, in the temporary directory; undefined if there are none
   */
  putCheckpoints(key: string, directory: string | undefined): void {
    const target = this.checkpointDirectory(key);
    try {
      if (directory !== undefined) {
        rmSync(target, { recursive: true, force: true });
        renameSync(directory, target);
      }
      this.#deleteOld();
    } catch {
      // The run index works without checkpoints.
    }
    removeIfPossible(`${target}.${process.pid}`);
  }

  #deleteOld(): void {
    const fileNames = readdirSync(this.#directory);
    const keys = fileNames
      .filter((name) => name.endsWith(RUN_INDEX_SUFFIX))
      .map((name) => ({ name, time: statSync(join(this.#directory, name)).mtimeMs }))
      .toSorted((a, b) => b.time - a.time)
      .map(({ name }) => name.slice(0, -RUN_INDEX_SUFFIX.length));
    for (const key of keys.slice(MAX_RUN_INDEXES))
      rmSync(join(this.#directory, key + RUN_INDEX_SUFFIX), { force: true });
    const cached = new Set(keys.slice(0, MAX_CHECKPOINT_SETS).map((key) => key + CHECKPOINTS_SUFFIX));
    for (const name of fileNames)
      if ((name.endsWith(CHECKPOINTS_SUFFIX) && !cached.has(name)) || isAbandonedRoom(name))
        rmSync(join(this.#directory, name), { recursive: true, force: true });
  }
}

/** Deletes a file or directory. Where the cache is not a directory or not accessible, there is nothing to delete. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The next process that uses the cache tries again.
  }
}

/** Whether a name is that of a temporary directory whose process has ended. */
function isAbandonedRoom(name: string): boolean {
  const [, pid] = /\.checkpoints\.(\d+)$/.exec(name) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
