// What recordings say of their snapshots.

import { listRecordings, openRecording } from '@turntable/recording';

export interface SnapshotSample {
  readonly phase: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** On the disk. */
  readonly bytes: number;
  /** Milliseconds for which a thread was kept: at the cut, at most at one time, and in all. */
  readonly cut: number;
  readonly longest: number;
  readonly total: number;
}

interface Pause {
  readonly cut: number;
  readonly longest: number;
  readonly total: number;
}

/** Those that are there, of the only recording. */
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
