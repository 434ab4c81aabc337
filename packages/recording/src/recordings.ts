// A directory of recordings: lists them, detects active ones, applies retention, and removes leftovers of killed
// processes.

import { readdirSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { renameSync, rmSync } from './file-operations.ts';
import { readFile } from './file-source.ts';
import {
  isRemovedName,
  isUnfinishedName,
  MANIFEST_FILE,
  parseRecordingName,
  parseSnapshotFileName,
  parseSourceFileName,
  parseTraceFileName,
  removedName,
  snapshotFileName,
  traceFileName,
  SNAPSHOTS_DIRECTORY,
  SOURCES_DIRECTORY,
  TRACES_DIRECTORY,
} from './file-names.ts';
import { decodeManifest, MAX_MANIFEST_BYTES, type FileSize, type Manifest } from './manifest.ts';
import { readModuleLog, withModules, type LoggedModule } from './module-log.ts';
import { RecordingError, systemCode } from './recording-error.ts';
import { surplusOf, type Retention } from './retention.ts';
import type { SegmentId } from './trace/trace-format.ts';
import { isTemporaryName } from './atomic-file.ts';

export interface RecordingEntry {
  readonly name: string;
  readonly directory: string;
  /** Creation time, in milliseconds since 1970. */
  readonly time: number;
  readonly pid: number;
}

/** Lists recordings, oldest first; none if the directory does not exist. */
export function listRecordings(recordings: string): RecordingEntry[] {
  return listNames(recordings)
    .flatMap((name) => {
      const parsed = parseRecordingName(name);
      return parsed === undefined ? [] : [{ name, directory: join(recordings, name), ...parsed }];
    })
    .sort((first, second) => first.time - second.time || first.pid - second.pid);
}

/** Contents of the manifest file, and the modules of the log. */
export interface StoredManifest {
  readonly manifest: Manifest;
  readonly logged: readonly LoggedModule[];
}

/** Reads the manifest and the log. Seals are not verified. */
export function readStoredManifest(directory: string): StoredManifest {
  const file = join(directory, MANIFEST_FILE);
  // The writer empties the log after it has added the modules to the manifest.
  const logged = readModuleLog(directory);
  return { manifest: decodeManifest(readFile(file, MAX_MANIFEST_BYTES), file), logged };
}

/** Reads the manifest with the modules of the log. Its seal is not verified. */
export function readManifest(directory: string): Manifest {
  const { manifest, logged } = readStoredManifest(directory);
  return withModules(manifest, logged);
}

/** Lists phases of existing snapshots, ascending. They may be deleted at any time. */
export function listSnapshotPhases(directory: string): number[] {
  return listNames(join(directory, SNAPSHOTS_DIRECTORY))
    .flatMap((name) => parseSnapshotFileName(name) ?? [])
    .sort((first, second) => first - second);
}

/** Lists existing trace segments by phase, worker and epoch. */
export function listTraceSegments(directory: string): SegmentId[] {
  return listNames(join(directory, TRACES_DIRECTORY))
    .flatMap((name) => parseTraceFileName(name) ?? [])
    .sort((first, second) => first.phase - second.phase || first.worker - second.worker || first.epoch - second.epoch);
}

/** Lists the data files of a recording with their sizes. */
export function listDataFiles(directory: string): FileSize[] {
  return fileSizes(directory, listDataFileNames(directory));
}

/** Lists the names of the data files of a recording: traces, then snapshots. */
export function listDataFileNames(directory: string): string[] {
  return [
    ...listTraceSegments(directory).map((segment) => `${TRACES_DIRECTORY}/${traceFileName(segment)}`),
    ...listSnapshotPhases(directory).map((phase) => `${SNAPSHOTS_DIRECTORY}/${snapshotFileName(phase)}`),
  ];
}

/** Returns the sizes of files in a directory; deleted files are left out. */
export function fileSizes(directory: string, names: readonly string[]): FileSize[] {
  return names.flatMap((name): FileSize[] => {
    const stat = statSync(join(directory, name), { throwIfNoEntry: false });
    return stat === undefined ? [] : [[name, stat.size]];
  });
}

/** Lists the source files of a recording by name. */
export function listSourceFiles(directory: string): string[] {
  return listNames(join(directory, SOURCES_DIRECTORY))
    .filter((name) => parseSourceFileName(name) !== undefined)
    .toSorted()
    .map((name) => `${SOURCES_DIRECTORY}/${name}`);
}

/** Lists the names in a directory; none if the directory does not exist. */
export function listNames(directory: string): string[] {
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

/** Time without an update after which another machine's recording counts as abandoned. */
export const ABANDONED_AFTER_MS = 60 * 60_000;

/**
 * Returns whether a process may still be writing the recording; true if unknown. A process id says nothing about another
 * machine or container, so there the writer's regular update of the manifest counts. Process ids are also reused: a
 * restarted container always has the same one.
 */
export function canBeActive(directory: string, manifest: Manifest, processStart: number): boolean {
  if (manifest.ended !== null) return false;
  if (manifest.host !== hostname()) {
    const touched = statSync(join(directory, MANIFEST_FILE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    return Date.now() - touched < ABANDONED_AFTER_MS;
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
 * Removes what killed processes left: temporary files, unnamed sources, half-deleted recordings. Complete snapshots
 * stay. Files that cannot be read or removed are ignored, because they must not prevent a new recording.
 * @param processStart start time of this process, in milliseconds since 1970
 */
export function removeLeftovers(recordings: string, processStart: number): void {
  for (const name of listNames(recordings)) {
    const path = join(recordings, name);
    if (isRemovedName(name) || (isUnfinishedName(name) && isAbandoned(path))) tryRemove(path);
  }
  for (const { directory } of listRecordings(recordings)) {
    const manifest = tryReadManifest(directory);
    if (manifest !== undefined && !canBeActive(directory, manifest, processStart))
      removeLeftoversOf(directory, manifest);
  }
}

/** Returns whether a path is so old that no process can be about to rename it. */
function isAbandoned(path: string): boolean {
  const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - modified > ABANDONED_AFTER_MS;
}

function removeLeftoversOf(directory: string, manifest: Manifest): void {
  for (const subdirectory of [directory, join(directory, SOURCES_DIRECTORY), join(directory, SNAPSHOTS_DIRECTORY)]) {
    for (const name of listNames(subdirectory)) if (isTemporaryName(name)) tryRemove(join(subdirectory, name));
  }
  const manifestDigests = new Set(manifest.modules.map(({ sha256 }) => sha256));
  for (const name of listNames(join(directory, SOURCES_DIRECTORY))) {
    const digest = parseSourceFileName(name);
    if (digest !== undefined && !manifestDigests.has(digest)) tryRemove(join(directory, SOURCES_DIRECTORY, name));
  }
}

/**
 * Deletes the oldest recordings until the rules hold. The current recording and possibly active ones stay.
 * @param isAtStart whether the current recording has no snapshot yet: then the recording before it stays too
 */
export function applyRetention(
  recordings: string,
  rules: Retention,
  currentName: string,
  processStart: number,
  isAtStart = false,
): void {
  const { age, bytes, count } = rules;
  if (age === undefined && bytes === undefined && count === undefined) return;
  const all = listRecordings(recordings);
  const previousName = all.findLast(({ name }) => name !== currentName)?.name;
  const entries = all.map((entry) => {
    const manifest = tryReadManifest(entry.directory);
    return {
      ...entry,
      bytes: bytes === undefined ? 0 : directoryBytes(entry.directory),
      isPinned:
        entry.name === currentName ||
        (isAtStart && entry.name === previousName) ||
        manifest === undefined ||
        canBeActive(entry.directory, manifest, processStart),
    };
  });
  for (const { name, directory } of surplusOf(entries, rules, Date.now())) {
    renameAndRemove(removedName(name), directory);
  }
}

/** Deletes a recording as far as possible. `removeLeftovers` deletes the rest later. */
export function removeRecording(directory: string): void {
  renameAndRemove(removedName(basename(directory)), directory);
}

/** Renames before deleting, so that the directory is no longer a recording, even for its writer. */
function renameAndRemove(name: string, directory: string): void {
  const removed = join(dirname(directory), name);
  try {
    renameSync(directory, removed);
  } catch {
    return;
  }
  tryRemove(removed);
}

/** Returns undefined if there is no readable manifest. The caller must not touch a directory without one. */
function tryReadManifest(directory: string): Manifest | undefined {
  try {
    return readManifest(directory);
  } catch (error) {
    if (error instanceof RecordingError) return undefined;
    throw error;
  }
}

/** Returns the total size of a recording's files. */
export function directoryBytes(directory: string): number {
  let sum = 0;
  for (const subdirectory of ['.', SOURCES_DIRECTORY, SNAPSHOTS_DIRECTORY, TRACES_DIRECTORY]) {
    for (const name of listNames(join(directory, subdirectory))) {
      const stat = statSync(join(directory, subdirectory, name), { throwIfNoEntry: false });
      if (stat?.isFile() === true) sum += stat.size;
    }
  }
  return sum;
}

function tryRemove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    // The file belongs to another user, or another process is removing it.
  }
}
