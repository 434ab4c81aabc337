// Start of a worker, as its trace has it.
import type { TraceEvent } from '@turntable/recording';

export const WORKER_START = 'worker-start';

export type RecordedStart = {
  readonly phase: number;
  readonly predecessor: {
    readonly lossReason: string;
    readonly notRestoredReason: string;
    /** Phase of the snapshot from which the worker was restored. */
    readonly snapshot: number | null;
  } | null;
  /** Reasons of earlier losses, by the worker that replaced the lost one. */
  readonly lossReasons: { readonly [worker: string]: string };
};

/** Returns the phase of the snapshot from which a worker was restored; undefined unless the event is such a start. */
export function restoredPhaseOf(event: TraceEvent | undefined): number | undefined {
  if (event?.type !== 'scheduler' || event.kind !== WORKER_START) return undefined;
  return (event.value as RecordedStart).predecessor?.snapshot ?? undefined;
}
