// Run indexes that were made, in a directory of the user's own: a recording may be where nothing can be written, is not to change when somebody looks at it, and may be unpacked
// somewhere else each time; so a run index is found by what its recording has, wherever that is. What cannot be read or written there is not there, and what is
// damaged is made anew.
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
/** Of a directory with what a run index has been given besides. */
const CHECKPOINTS_SUFFIX = '.checkpoints';
/** Of more, those that nobody has looked at for longest are deleted. */
const MAX_RUN_INDEXES = 16;
/** Of which there are states: they are larger by far. */
const MAX_CHECKPOINT_SETS = 4;
/** Bytes that are read at a time. */
const READ_CHUNK_BYTES = 1 << 20;

/**
 * Of all that a run index is a function of: manifest and traces, the snapshot that it begins with, and what else the caller knows.
 * @param files of a recording's directory
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

  /** @param metadata plain data that is to be had again with it */
  put(key: string, runIndex: RunIndex, metadata: unknown): void {
    const file = join(this.#directory, key + RUN_INDEX_SUFFIX);
    const temporary = `${file}.${process.pid}`;
    try {
      mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
      // Names of actors and errors of a program are in it.
      writeFileSync(temporary, encodeRunIndex(runIndex, metadata), { mode: 0o600 });
      renameSync(temporary, file);
      this.#deleteOld();
    } catch {
      rmSync(temporary, { force: true });
    }
  }

  /** Where states are that have been put there, if they still are. */
  checkpointDirectory(key: string): string {
    return join(this.#directory, key + CHECKPOINTS_SUFFIX);
  }

  /** A directory in which states for a run index are made; nothing, if there can be none. */
  createCheckpointRoom(key: string): string | undefined {
    const room = `${this.checkpointDirectory(key)}.${process.pid}`;
    try {
      mkdirSync(room, { recursive: true, mode: 0o700 });
      return room;
    } catch {
      return undefined;
    }
  }

  /** Behind the run index itself. @param directory in the room for them, which goes with it; nothing, if none have come of it */
  putCheckpoints(key: string, directory: string | undefined): void {
    const target = this.checkpointDirectory(key);
    try {
      if (directory !== undefined) {
        rmSync(target, { recursive: true, force: true });
        renameSync(directory, target);
      }
      this.#deleteOld();
    } catch {
      // There are none, then.
    }
    rmSync(`${target}.${process.pid}`, { recursive: true, force: true });
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

/** A room for states of a process that has ended in the midst of making them. */
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
