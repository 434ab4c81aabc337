import type { SnapshotReader } from '@turntable/recording';

/** Epoch of each worker with a part in a snapshot. */
export type SnapshotEpochs = Readonly<Record<number, number>>;

export function epochsOf({ meta }: SnapshotReader): SnapshotEpochs {
  return (meta as { epochs?: SnapshotEpochs } | null | undefined)?.epochs ?? {};
}
