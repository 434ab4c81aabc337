// A directory of recordings: which there are, which are still being written, what remains of those whose process was killed.

import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { readWhole } from './file-source.ts';
import {
  isRemoved,
  MANIFEST,
  parseRecordingName,
  parseSnapshotName,
  parseSourceName,
  parseTraceName,
  removedName,
  SNAPSHOTS,
  SOURCES,
  TRACES,
} from './layout.ts';
import { decodeManifest, MANIFEST_LIMIT, type Manifest } from './manifest.ts';
import { RecordingError, systemCode } from './recording-error.ts';
import { surplusOf, type Retention } from './retention.ts';
import type { SegmentName } from './trace/trace-format.ts';
import { isTemporary } from './whole-file.ts';

export interface RecordingEntry {
  readonly name: string;
  readonly directory: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  readonly pid: number;
}

/** Oldest first. A directory that does not exist has none. */
export function listRecordings(recordings: string): RecordingEntry[] {
  return namesIn(recordings)
    .flatMap((name) => {
      const parsed = parseRecordingName(name);
      return parsed === undefined ? [] : [{ name, directory: join(recordings, name), ...parsed }];
    })
    .sort((one, other) => one.time - other.time || one.pid - other.pid);
}

export function readManifest(directory: string): Manifest {
  const file = join(directory, MANIFEST);
  return decodeManifest(readWhole(file, MANIFEST_LIMIT), file);
}

/** Phases of the snapshots there are, ascending. They may go away at any time. */
export function phasesIn(directory: string): number[] {
  return namesIn(join(directory, SNAPSHOTS))
    .flatMap((name) => parseSnapshotName(name) ?? [])
    .sort((one, other) => one - other);
}

/** Segments of traces there are, by phase, worker and life. */
export function segmentsIn(directory: string): SegmentName[] {
  return namesIn(join(directory, TRACES))
    .flatMap((name) => parseTraceName(name) ?? [])
    .sort((one, other) => one.phase - other.phase || one.worker - other.worker || one.life - other.life);
}

/** Names, or none if there is no such directory. */
export function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw new RecordingError('TT_RECORDING', `${directory} cannot be read: ${(error as Error).message}`, {
      file: directory,
      cause: error,
    });
  }
}

/** Of another machine's recording, how long nobody has touched it before it counts as left behind, in milliseconds. */
export const SILENCE = 60 * 60_000;

/**
 * Whether a process may still be writing it. Numbers of processes mean nothing on another machine, which in containers may be the same
 * one under another name: there it counts that a writer touches its manifest now and then. And they are used again: in a container after a
 * restart, always the same. Whoever cannot know says yes.
 */
export function mayBeWritten(directory: string, manifest: Manifest, processStart: number): boolean {
  if (manifest.ended !== null) return false;
  if (manifest.host !== hostname()) {
    const touched = statSync(join(directory, MANIFEST), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return Date.now() - touched < SILENCE;
  }
  if (manifest.pid === process.pid) return Date.parse(manifest.created) >= processStart;
  try {
    process.kill(manifest.pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

/**
 * Removes what killed processes have left: temporary files, sources that no manifest names, recordings half deleted. Whole snapshots
 * stay, and so does what cannot be read or removed: other people's recordings are no reason not to make one.
 * @param processStart when this process began, in milliseconds since 1970
 */
export function sweep(recordings: string, processStart: number): void {
  for (const name of namesIn(recordings)) if (isRemoved(name)) remove(join(recordings, name));
  for (const { directory } of listRecordings(recordings)) {
    const manifest = manifestIn(directory);
    if (manifest !== undefined && !mayBeWritten(directory, manifest, processStart)) sweepOne(directory, manifest);
  }
}

function sweepOne(directory: string, manifest: Manifest): void {
  for (const place of [directory, join(directory, SOURCES), join(directory, SNAPSHOTS)]) {
    for (const name of namesIn(place)) if (isTemporary(name)) remove(join(place, name));
  }
  const named = new Set(manifest.modules.map(({ sha256 }) => sha256));
  for (const name of namesIn(join(directory, SOURCES))) {
    const digest = parseSourceName(name);
    if (digest !== undefined && !named.has(digest)) remove(join(directory, SOURCES, name));
  }
}

/** Deletes the oldest recordings until the rules hold. One that may still be written stays, and `own` does. */
export function makeRoom(recordings: string, rules: Retention, own: string, processStart: number): void {
  const { age, bytes, count } = rules;
  if (age === undefined && bytes === undefined && count === undefined) return;
  const entries = listRecordings(recordings).map((entry) => {
    const manifest = manifestIn(entry.directory);
    return {
      ...entry,
      bytes: bytes === undefined ? 0 : bytesIn(entry.directory),
      isPinned: entry.name === own || manifest === undefined || mayBeWritten(entry.directory, manifest, processStart),
    };
  });
  for (const { name, directory } of surplusOf(entries, rules, Date.now())) {
    removeAs(removedName(name), directory);
  }
}

/** Deletes a recording, whatever is in the way: what is not gone then goes when the next one is made. */
export function removeRecording(directory: string): void {
  removeAs(removedName(basename(directory)), directory);
}

/** Under that name it is none any more, whoever is still writing. */
function removeAs(name: string, directory: string): void {
  const removed = join(dirname(directory), name);
  try {
    renameSync(directory, removed);
  } catch {
    return;
  }
  remove(removed);
}

/** Undefined where there is none that could be read: of such a directory nothing is known, so it is let be. */
function manifestIn(directory: string): Manifest | undefined {
  try {
    return readManifest(directory);
  } catch (error) {
    if (error instanceof RecordingError) return undefined;
    throw error;
  }
}

/** On the disk. */
export function bytesIn(directory: string): number {
  let sum = 0;
  for (const place of ['.', SOURCES, SNAPSHOTS, TRACES]) {
    for (const name of namesIn(join(directory, place))) {
      const stat = statSync(join(directory, place, name), { throwIfNoEntry: false });
      if (stat?.isFile() === true) sum += stat.size;
    }
  }
  return sum;
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // Somebody else's, or somebody else is at it.
  }
}
