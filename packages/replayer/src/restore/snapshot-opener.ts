// Opens a snapshot of a recording by phase. This file is separate, so that commands that only read do not load the code
// for restores.
import type { Recording, SnapshotReader } from '@turntable/recording';
import { RuntimeError } from '@turntable/runtime';

/** Opens the snapshot of a phase, or the last complete one if `phase` is undefined. @throws if there is none */
export function openSnapshot(recording: Recording, phase: number | undefined): SnapshotReader {
  const snapshot = phase === undefined ? recording.latest() : recording.readSnapshot(phase);
  if (snapshot !== undefined) return snapshot;
  // These snapshots are intact, but cannot be read without their key or by this version.
  const unreadable = recording.damagedSnapshots.find(({ error }) => UNREADABLE_CODES.has(error.code));
  if (unreadable !== undefined) throw unreadable.error;
  throw new RuntimeError(
    'TT_NO_SNAPSHOT',
    `${recording.directory} has no complete snapshot; record with --snapshots every=30s`,
  );
}

export const UNREADABLE_CODES: ReadonlySet<string> = new Set([
  'TT_RECORDING_KEY',
  'TT_RECORDING_SEAL',
  'TT_RECORDING_VERSION',
]);
