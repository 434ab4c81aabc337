// The snapshots that a program can go on from: those of its own recording, and of those that it has gone on from itself, each up to where it did. What a
// recording has beyond is another future.
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording, RecordingError, type SnapshotOrigin, type Recording } from '@turntable/recording';
import { RuntimeError } from '@turntable/runtime';
import { UNREADABLE_CODES } from './snapshot-opener.ts';

/** Recordings that a life has behind it, the last first, each with the phase up to which it is its own. */
export function* lineage(ownDirectory: string | undefined, restoredFrom?: SnapshotOrigin): Generator<SnapshotOrigin> {
  if (ownDirectory !== undefined) yield { recording: ownDirectory, phase: Infinity };
  for (
    let origin = restoredFrom ?? originOfRecording(ownDirectory);
    origin !== undefined;
    origin = originOfRecording(origin.recording)
  )
    yield origin;
}

/** Fails if a snapshot is damaged, or cannot be gone on from. */
export type SnapshotCheck<R> = (origin: SnapshotOrigin) => Promise<R>;

/** What is answered of the last of them that is whole, or of the one of a phase. It fails if that does. */
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
  // Of several the last snapshot's.
  if (failures.length > 0) throw failures[0];
  const searchedText = searched.join(' and ');
  throw new RuntimeError(
    'TT_NO_SNAPSHOT',
    phaseWanted === undefined
      ? `${searchedText} ${searched.length > 1 ? 'have' : 'has'} no snapshot that is whole`
      : `${searchedText} ${searched.length > 1 ? 'have' : 'has'} no snapshot ${phaseWanted}; turntable inspect lists what there is`,
  );
}

/** Fails if it is a recording of another program. */
export function requireSameProgram(directory: string, entry: string | undefined): void {
  const { manifest } = openRecording(directory);
  if (manifest.entry === (entry ?? null)) return;
  throw new RuntimeError(
    'TT_NO_SNAPSHOT',
    `${directory} is a recording of ${programText(manifest.entry)}, and this program is ${programText(entry)}; restore it in a process of its own`,
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
      // Retention may have deleted it.
      if (!isMissing(error)) failures.push(error);
    }
  }
  // Whole ones, for who has the key, or for the version that wrote them.
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
  // Recordings that were carried elsewhere still lie beside each other.
  const sibling = join(dirname(directory), basename(origin.recording));
  const hasMoved = openIfPresent(origin.recording) === undefined && openIfPresent(sibling) !== undefined;
  return hasMoved ? { ...origin, recording: sibling } : origin;
}

/** Undefined if there is none: nothing of it has been written yet, or it has been deleted. */
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
  return entry?.startsWith('file:') === true ? fileURLToPath(entry) : (entry ?? 'another one');
}
