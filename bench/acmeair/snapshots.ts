// Snapshots of recordings: time, size and pauses.

import { listRecordings, openRecording } from '@turntable/recording';

export interface SnapshotSample {
  readonly phase: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** Size on disk. */
  readonly bytes: number;
  /** Milliseconds for which a thread was paused: at the cut, longest at one time, and in total. */
  readonly cut: number;
  readonly longest: number;
  readonly total: number;
}

interface Pause {
  readonly cut: number;
  readonly longest: number;
  readonly total: number;
}

/** Snapshots that the recordings still contain. */
export function snapshotsIn(recordings: string): SnapshotSample[] {
  return listRecordings(recordings).flatMap(({ directory }) => {
    const recording = openRecording(directory);
    return recording.snapshots().map(({ phase, time, bytes }) => {
      const snapshot = recording.readSnapshot(phase);
      const { pauses = {} } = snapshot.meta as { readonly pauses?: Readonly<Record<string, Pause>> };
      snapshot.close();
      const maxOf = (metric: keyof Pause): number => Math.max(0, ...Object.values(pauses).map((each) => each[metric]));
      return { phase, time, bytes, cut: maxOf('cut'), longest: maxOf('longest'), total: maxOf('total') };
    });
  });
}
