// Options of an app: what the program says of its workers, and what the embedder supplies for recording, replay and recovery.

import type { MessagePort } from 'node:worker_threads';
import type { StateCapturer } from '@turntable/heap';
import type { Placement } from './actors/actor-placement.ts';
import type { StandbyThread, ThreadOptions } from './standby-thread.ts';
import type { SnapshotLocation } from './control-messages.ts';
import type { ReplayedRun } from './replay-monitor.ts';
import type { PartSink } from './snapshot/worker-snapshots.ts';

export interface ActorSystemOptions extends ThreadOptions {
  /** Threads beside the main one. */
  readonly workers: number;
  readonly placement?: Exclude<Placement, (...args: never) => unknown>;
  /** What the entry of workers is told besides, as `workerData`; to be cloned. */
  readonly workerData?: Readonly<Record<string, unknown>>;
  /** Where this thread's program is written down; without it there are no snapshots. */
  readonly capturer?: StateCapturer;
  /** Where parts of snapshots go, of this thread; without it they are delivered whole. */
  readonly partSink?: PartSink;
  /** What a worker that is about to be started is given to make one of. */
  feed?(): { readonly data: unknown; readonly transfer: readonly MessagePort[] } | undefined;
  /** The same, to make a trace of, which begins with that phase. */
  trace?(
    worker: number,
    epoch: number,
    phase: number,
  ): { readonly data: unknown; readonly transfer: readonly MessagePort[] } | undefined;
  /** This program runs again: what leads a worker that is about to be started to its trace. */
  replay?(worker: number, epoch: number): { readonly data: unknown; readonly transfer: readonly MessagePort[] };
  /** The thread of a worker in one of its lives, if it has begun before it was known what it is to be. */
  standbyThread?(worker: number, epoch: number): StandbyThread | undefined;
  /** Who is told of what becomes of it then. */
  readonly replayedRun?: ReplayedRun;
  /** There will be no snapshot of that phase; parts of it may have gone to sinks. */
  onSnapshotAbandoned?(phase: number): void;
  /** Whether anybody waits for a snapshot: until it is there, not all is done. */
  isSnapshotAwaited?(): boolean;
  /** All is done; the threads end when it has answered. */
  beforeEnd?(): Promise<void>;
  /** How often the process has gone on in place. */
  readonly epoch?: number;
  /** A worker has ended with actors that everybody goes back with: answers only if that cannot be, and it is to be made do without. */
  rollback?(reason: string): Promise<void>;
  /** Where the last snapshot is, for a worker that has the place of one that is in it; or why there is none. */
  lastSnapshot?(): SnapshotLocation | string;
  /** A worker has ended without being told to, and another one has its place, or none has. */
  onWorkerLost?(worker: number, reason: string, isReplaced: boolean): void;
}

/** What a program says of its app. */
export type WorkerSettings = Pick<ActorSystemOptions, 'workers' | 'placement' | 'resourceLimits'>;
