// Opens a snapshot of a recording by phase. A separate file, so that commands that only read do not load the restore.
import type { Recording, SnapshotReader } from '@turntable/recording';
import { RuntimeError } from '@turntable/runtime';

/** The snapshot of the phase; undefined for the last complete one. */
export function openSnapshot(recording: Recording, phase: number | undefined): SnapshotReader {
  const snapshot = phase === undefined ? recording.latest() : recording.readSnapshot(phase);
  if (snapshot !== undefined) return snapshot;
  // Snapshots that are intact but need a key or another version.
  const unreadable = recording.damagedSnapshots.find(({ error }) => UNREADABLE_CODES.has(error.code));
  if (unreadable !== undefined) throw unreadable.error;
  throw new RuntimeError('TT_NO_SNAPSHOT', `${recording.directory} has no complete snapshot`);
}

export const UNREADABLE_CODES: ReadonlySet<string> = new Set(['TT_RECORDING_KEY', 'TT_RECORDING_VERSION']);
