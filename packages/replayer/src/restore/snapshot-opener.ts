// Which snapshot of a recording a phase means. Apart from which recording is meant: commands that only look for one need nothing of the runtime.
import type { Recording, SnapshotReader } from '@turntable/recording';
import { RuntimeError } from '@turntable/runtime';

/** Of a phase; the last one that is whole, if it is left out. */
export function openSnapshot(recording: Recording, phase: number | undefined): SnapshotReader {
  const snapshot = phase === undefined ? recording.latest() : recording.readSnapshot(phase);
  if (snapshot !== undefined) return snapshot;
  // Whole ones, for who has the key, or for the version that wrote them.
  const unreadable = recording.damagedSnapshots.find(({ error }) => UNREADABLE_CODES.has(error.code));
  if (unreadable !== undefined) throw unreadable.error;
  throw new RuntimeError('TT_NO_SNAPSHOT', `${recording.directory} has no snapshot that is whole`);
}

export const UNREADABLE_CODES: ReadonlySet<string> = new Set(['TT_RECORDING_KEY', 'TT_RECORDING_VERSION']);
