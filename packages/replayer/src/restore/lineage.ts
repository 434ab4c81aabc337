// Finds the snapshots from which a program can be restored: in its own recording, then in each recording from which it
// was restored, up to the snapshot of that restore. Later snapshots belong to another continuation.
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording, RecordingError, type SnapshotOrigin, type Recording } from '@turntable/recording';
import { RuntimeError } from '@turntable/runtime';
import { UNREADABLE_CODES } from './snapshot-opener.ts';

/** Recordings of a process's epochs, latest first, each with the last phase that belongs to this lineage. */
export function* lineage(ownDirectory: string | undefined, restoredFrom?: SnapshotOrigin): Generator<SnapshotOrigin> {
  if (ownDirectory !== undefined) yield { recording: ownDirectory, phase: Infinity };
  for (
    let origin = restoredFrom ?? originOfRecording(ownDirectory);
    origin !== undefined;
    origin = originOfRecording(origin.recording)
  )
    yield origin;
}

/** Checks a snapshot. @throws if it is damaged or cannot be restored */
export type SnapshotCheck<R> = (origin: SnapshotOrigin) => Promise<R>;

/** Result of `check` for the requested snapshot, or for the last usable one. @throws if there is none */
export async function findSnapshot<R>(
  origins: Iterable<SnapshotOrigin>,
  phaseWanted: number | undefined,
  check: SnapshotCheck<R>,
): Promise<R> {
  const searched: string[] = [];
  const failures: unknown[] = [];
  for (const { recording: directory, phase: limit } of origins) {
    searched.push(directory);
    const recording = openIfPresent(directory);
    if (recording === undefined) continue;
    const found =
      phaseWanted === undefined
        ? await findLastIn(recording, limit, check, failures)
        : await findPhaseIn(recording, limit, phaseWanted, check);
    if (found !== undefined) return found;
  }
  // The first failure is that of the latest snapshot.
  if (failures.length > 0) throw failures[0];
  const searchedText = searched.join(' and ');
  throw new RuntimeError(
    'TT_NO_SNAPSHOT',
    phaseWanted === undefined
      ? `${searchedText} ${searched.length > 1 ? 'have' : 'has'} no complete snapshot; record with --snapshots every=30s`
      : `${searchedText} ${searched.length > 1 ? 'have' : 'has'} no snapshot ${phaseWanted}; turntable inspect lists the snapshots`,
  );
}

/** @throws if the directory has a recording of another program */
export function requireSameProgram(directory: string, entry: string | undefined): void {
  const { manifest } = openRecording(directory);
  if (manifest.entry === (entry ?? null)) return;
  throw new RuntimeError(
    'TT_NO_SNAPSHOT',
    `${directory} is a recording of ${programText(manifest.entry)}, and this program is ${programText(entry)}; restore it in another process with turntable restore`,
  );
}

async function findLastIn<R>(
  recording: Recording,
  limit: number,
  check: SnapshotCheck<R>,
  failures: unknown[],
): Promise<R | undefined> {
  for (const { phase } of recording.snapshots().toReversed()) {
    if (phase > limit) continue;
    try {
      return await check({ recording: recording.directory, phase });
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      // Retention may delete a snapshot after it was listed.
      if (!isMissing(error)) failures.push(error);
    }
  }
  // These snapshots are intact, but cannot be read without their key or by this version.
  for (const { error } of recording.damagedSnapshots) if (UNREADABLE_CODES.has(error.code)) failures.push(error);
  return undefined;
}

async function findPhaseIn<R>(
  recording: Recording,
  limit: number,
  phase: number,
  check: SnapshotCheck<R>,
): Promise<R | undefined> {
  if (phase > limit) return undefined;
  try {
    return await check({ recording: recording.directory, phase });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function originOfRecording(directory: string | undefined): SnapshotOrigin | undefined {
  const origin = directory === undefined ? undefined : openIfPresent(directory)?.manifest.restoredFrom;
  if (directory === undefined || origin === undefined || origin === null) return undefined;
  // Recordings may have been moved together into another directory.
  const sibling = join(dirname(directory), basename(origin.recording));
  const hasMoved = openIfPresent(origin.recording) === undefined && openIfPresent(sibling) !== undefined;
  return hasMoved ? { ...origin, recording: sibling } : origin;
}

/** Undefined if the recording has not been written yet or was deleted. */
function openIfPresent(directory: string): Recording | undefined {
  try {
    return openRecording(directory);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof RecordingError && error.code === 'TT_RECORDING_MISSING';
}

function programText(entry: string | null | undefined): string {
  return entry?.startsWith('file:') === true ? fileURLToPath(entry) : (entry ?? 'another program');
}
