// The snapshots that a program can go on from: those of its own recording, and of those that it has gone on from itself, each up to where it did. What a
// recording has beyond is another future.
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording, RecordingError, type Origin, type Recording } from '@turntable/recording';
import { RuntimeError } from '@turntable/runtime';
import { UNREADABLE } from './snapshot-in.ts';

/** Recordings that a life has behind it, the last first, each with the phase up to which it is its own. */
export function* lineage(own: string | undefined, continues?: Origin): Generator<Origin> {
  if (own !== undefined) yield { recording: own, phase: Infinity };
  for (let at = continues ?? originOf(own); at !== undefined; at = originOf(at.recording)) yield at;
}

/** Fails if a snapshot is damaged, or cannot be gone on from. */
export type Pass<R> = (origin: Origin) => Promise<R>;

/** What is answered of the last of them that is whole, or of the one of a phase. It fails if that does. */
export async function snapshotAmong<R>(
  behind: Iterable<Origin>,
  wanted: number | undefined,
  pass: Pass<R>,
): Promise<R> {
  const looked: string[] = [];
  const failures: unknown[] = [];
  for (const { recording: directory, phase: limit } of behind) {
    looked.push(directory);
    const recording = recordingAt(directory);
    if (recording === undefined) continue;
    const found =
      wanted === undefined
        ? await lastIn(recording, limit, pass, failures)
        : await oneIn(recording, limit, wanted, pass);
    if (found !== undefined) return found;
  }
  // Of several the last snapshot's.
  if (failures.length > 0) throw failures[0];
  const places = looked.join(' and ');
  throw new RuntimeError(
    'TT_NO_SNAPSHOT',
    wanted === undefined
      ? `${places} ${looked.length > 1 ? 'have' : 'has'} no snapshot that is whole`
      : `${places} ${looked.length > 1 ? 'have' : 'has'} no snapshot ${wanted}; turntable inspect lists what there is`,
  );
}

/** Fails if it is a recording of another program. */
export function checkProgram(directory: string, entry: string | undefined): void {
  const { manifest } = openRecording(directory);
  if (manifest.entry === (entry ?? null)) return;
  throw new RuntimeError(
    'TT_NO_SNAPSHOT',
    `${directory} is a recording of ${named(manifest.entry)}, and this program is ${named(entry)}; restore it in a process of its own`,
  );
}

async function lastIn<R>(
  recording: Recording,
  limit: number,
  pass: Pass<R>,
  failures: unknown[],
): Promise<R | undefined> {
  for (const { phase } of recording.snapshots().toReversed()) {
    if (phase > limit) continue;
    try {
      return await pass({ recording: recording.directory, phase });
    } catch (error) {
      if (!(error instanceof RecordingError)) throw error;
      // Retention may have deleted it.
      if (!isMissing(error)) failures.push(error);
    }
  }
  // Whole ones, for who has the key, or for the version that wrote them.
  for (const { error } of recording.damage) if (UNREADABLE.has(error.code)) failures.push(error);
  return undefined;
}

async function oneIn<R>(recording: Recording, limit: number, phase: number, pass: Pass<R>): Promise<R | undefined> {
  if (phase > limit) return undefined;
  try {
    return await pass({ recording: recording.directory, phase });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function originOf(directory: string | undefined): Origin | undefined {
  const origin = directory === undefined ? undefined : recordingAt(directory)?.manifest.continues;
  if (directory === undefined || origin === undefined || origin === null) return undefined;
  // Recordings that were carried elsewhere still lie beside each other.
  const beside = join(dirname(directory), basename(origin.recording));
  const hasMoved = recordingAt(origin.recording) === undefined && recordingAt(beside) !== undefined;
  return hasMoved ? { ...origin, recording: beside } : origin;
}

/** Undefined if there is none: nothing of it has been written yet, or it has been deleted. */
function recordingAt(directory: string): Recording | undefined {
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

function named(entry: string | null | undefined): string {
  return entry?.startsWith('file:') === true ? fileURLToPath(entry) : (entry ?? 'another one');
}
