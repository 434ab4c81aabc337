// Options of an app: settings of the program for its workers, and hooks of the embedder for recording, replay and
// recovery.

import type { MessagePort } from 'node:worker_threads';
import type { StateCapturer } from '@turntable/heap';
import type { Placement } from './actors/actor-placement.ts';
import type { StandbyThread, ThreadOptions } from './standby-thread.ts';
import type { SnapshotLocation } from './control-messages.ts';
import type { ReplayedRun } from './replay-monitor.ts';
import type { PartSink } from './snapshot/worker-snapshots.ts';

export interface ActorSystemOptions extends ThreadOptions {
  /** Number of worker threads in addition to the main thread. */
  readonly workers: number;
  readonly placement?: Exclude<Placement, (...args: never) => unknown>;
  /** Additional fields of `workerData` for the entry point of workers; must be cloneable. */
  readonly workerData?: Readonly<Record<string, unknown>>;
  /** Captures and restores the program state of this thread; without it there are no snapshots. */
  readonly capturer?: StateCapturer;
  /** Sink for this thread's parts of snapshots; without it each part is delivered whole. */
  readonly partSink?: PartSink;
  /** Returns the data from which a worker that is about to start creates its part sink. */
  feed?(): { readonly data: unknown; readonly transfer: readonly MessagePort[] } | undefined;
  /**
   * Returns the data from which a worker that is about to start creates its trace sink.
   * @param phase its first phase
   * @param earlierLosses number of workers that were lost before
   */
  trace?(
    worker: number,
    epoch: number,
    phase: number,
    earlierLosses: number,
  ): { readonly data: unknown; readonly transfer: readonly MessagePort[] } | undefined;
  /** Called when the thread of a worker that was started with a trace has ended unexpectedly. */
  traceLost?(worker: number, epoch: number, isOutOfMemory: boolean): void;
  /** In a replay: returns the data from which a worker that is about to start opens its trace. */
  replay?(worker: number, epoch: number): { readonly data: unknown; readonly transfer: readonly MessagePort[] };
  /** Returns the thread that was started ahead of need for this epoch of a worker, if there is one. */
  standbyThread?(worker: number, epoch: number): StandbyThread | undefined;
  /** In a replay: receives parts of snapshots and the reason why each thread stopped. */
  readonly replayedRun?: ReplayedRun;
  /** Reports that there will be no snapshot of a phase; sinks may already have received parts of it. */
  onSnapshotAbandoned?(phase: number): void;
  /** Whether a snapshot is awaited. The app then ends only after the snapshot is complete. */
  isSnapshotAwaited?(): boolean;
  /** Called when all work is done. The threads end after the promise is settled. */
  beforeEnd?(): Promise<void>;
  /** Number of in-place restores of this process. */
  readonly epoch?: number;
  /** Rolls the program back after the loss of a `rollback` actor; resolves only if that is impossible. */
  rollback?(reason: string): Promise<void>;
  /** Returns the location of the last snapshot for a worker's replacement, or the reason why there is none. */
  lastSnapshot?(): SnapshotLocation | string;
  /** Reports that a worker has ended unexpectedly. `isReplaced`: whether another worker replaces it. */
  onWorkerLost?(worker: number, reason: string, isReplaced: boolean): void;
}

/** The options that a program sets for its app. */
export type WorkerSettings = Pick<ActorSystemOptions, 'workers' | 'placement' | 'resourceLimits'>;
