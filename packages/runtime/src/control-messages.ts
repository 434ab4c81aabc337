// Control messages between the main thread and its workers, separate from the messages of actors. They are few: no
// actor message causes a control message.

import type { MessagePort } from 'node:worker_threads';
import type { ActorStats } from './actors/census.ts';
import type { Placement } from './actors/actor-placement.ts';
import type { IdleThread, ThreadStop } from './replay-monitor.ts';
import type { SnapshotInterval } from './snapshot/snapshot-trigger.ts';
import type { SnapshotStats } from './snapshot/worker-snapshots.ts';
import type { WorkerPart } from './snapshot/snapshot-collector.ts';

/** One end of the connection to another worker. */
export interface LinkData {
  readonly worker: number;
  /** Number of that worker's predecessors, and the reason for the loss of the last one. */
  readonly epoch: number;
  readonly lossReason: string | undefined;
  readonly out: SharedArrayBuffer;
  readonly in: SharedArrayBuffer;
  readonly port: MessagePort;
  readonly bell: SharedArrayBuffer;
}

/** Start data of a worker's thread. */
export interface ThreadData {
  readonly index: number;
  /** Number of workers that had this index before. */
  readonly epoch: number;
  readonly workers: number;
  readonly placement: Exclude<Placement, (...args: never) => unknown>;
  readonly links: readonly LinkData[];
  readonly bell: SharedArrayBuffer;
  /** The phase in which the worker starts. */
  readonly phase: number;
  readonly control: MessagePort;
  /** Counter of lost workers. When it has grown, `control` holds the corresponding messages. */
  readonly lossCounter: SharedArrayBuffer;
  /** Value of `lossCounter` when this worker was created. */
  readonly lossesSeen: number;
  /** Workers that ended earlier and were not replaced. */
  readonly endedWorkers: readonly WorkerLoss[];
  /** Number of actors of each worker whose loss rolls the program back. Each worker sets its own entry. */
  readonly rollbackCounts: SharedArrayBuffer;
  /** Whether a snapshot is taken in each phase that is not in `cutPoints`. */
  readonly hasSnapshots: boolean;
  /** Memory of a `CutPoints`. */
  readonly cutPoints: SharedArrayBuffer;
  /** Data from which the worker creates the sink of its parts of snapshots. */
  readonly feed: unknown;
  /** This worker's part of a snapshot to restore. The worker runs when it receives `resume`. */
  readonly restoredPart: Uint8Array | undefined;
  /** The lost worker that this one replaces, if any. */
  readonly predecessor: Predecessor | undefined;
  /** Work after which the worker reports that a snapshot is due. */
  readonly snapshotInterval: SnapshotInterval | undefined;
  /** Data from which the worker creates the sink of its trace. */
  readonly trace: unknown;
  /** In a replay: data from which the worker opens its trace. */
  readonly replay: unknown;
}

/** Location of a stored snapshot. If the snapshot cannot be read, an earlier one is used. */
export interface SnapshotLocation {
  readonly recording: string;
  readonly phase: number;
}

/** The worker that a new one replaces. */
export interface Predecessor {
  /** Reason for the loss of that worker. */
  readonly lossReason: string;
  /** Snapshot from which the actors are restored, if any. */
  readonly snapshot: SnapshotLocation | undefined;
  /** Reason why the actors are not restored, if there is no snapshot. */
  readonly notRestoredReason: string;
}

/** The loss of a worker. */
export interface WorkerLoss {
  readonly worker: number;
  readonly epoch: number;
  readonly reason: string;
  /** The connection to its replacement, if there is one. */
  readonly successor: LinkData | undefined;
  /** Whether the replacement is restored from a snapshot and claims the references of its actors. */
  readonly isRestored: boolean;
}

/** Statistics of one thread. */
export interface WorkerStats {
  readonly worker: number;
  readonly turns: number;
  /** Number of the phase that the worker is in. */
  readonly phase: number;
  /** Number of queued messages. */
  readonly waiting: number;
  /** Time spent in turns, in milliseconds. */
  readonly busy: number;
  /** Longest delay of Node's event loop in milliseconds since the last request for stats. */
  readonly delay: number;
  /** Number of objects of this worker that others reference, and of references here to objects of other workers. */
  readonly exported: number;
  readonly held: number;
  /** Number of bytes sent to other workers outside the rings, because they were too big or waited for room. */
  readonly spilled: number;
  /** Cost of snapshots, if the worker is recorded. */
  readonly snapshots?: SnapshotStats;
  /** Stats of the actors that the census lists, if they were requested. */
  readonly actors?: readonly ActorStats[];
}

/** Numbers of messages that a worker without work has sent and taken. */
export interface TrafficTotals {
  readonly sent: number;
  readonly taken: number;
}

/** Statistics of all threads, as `app.stats` resolves with. */
export interface AppStats {
  /** Number of in-place restores from a snapshot; 0 if there was none. */
  readonly epoch: number;
  readonly workers: readonly WorkerStats[];
}

/** Queries that all workers answer, with the types of the results. */
export interface WorkerQueryResults {
  /** Answered when the worker has no work left. */
  readonly idle: TrafficTotals;
  /** Answered when the worker has processed all reported losses. */
  readonly lossesSeen: true;
  /** Answered when the worker has stopped for good and has sent its output. */
  readonly halted: true;
  /** In a replay: answered when the worker is idle and has reported its position. */
  readonly replayIdle: true;
  readonly stats: WorkerStats;
  readonly actorStats: WorkerStats;
}
export type WorkerQuery = keyof WorkerQueryResults;

export type MessageToWorker =
  | { readonly type: WorkerQuery; readonly queryId: number }
  | ({ readonly type: 'lost' } & WorkerLoss)
  | { readonly type: 'phase'; readonly phase: number }
  | { readonly type: 'resume' }
  /** In a replay: stops, because the next event cannot arrive. */
  | { readonly type: 'endIdle'; readonly isCutOff: boolean }
  | { readonly type: 'end' };

export type MessageToMain =
  | { readonly type: 'answer'; readonly queryId: number; readonly answer: WorkerQueryResults[WorkerQuery] }
  | { readonly type: 'snapshotDue' }
  // Like `stopped`, sent only in a replay.
  | ({ readonly type: 'idle' } & IdleThread)
  | ({ readonly type: 'stopped' } & ThreadStop)
  /** Reports that the worker has actors to restore from a snapshot if it is lost. */
  | { readonly type: 'restorable' }
  /** Reports that the worker is about to exit, since it could not be restored from a snapshot. */
  | { readonly type: 'restoreFailed'; readonly reason: string }
  | { readonly type: 'part'; readonly part: WorkerPart }
  | { readonly type: 'partFailed'; readonly phase: number; readonly reason: string; readonly isRetryable: boolean }
  /** `failure`: error code and message if the worker could not be restored. */
  | { readonly type: 'restored'; readonly failure: { readonly code: string; readonly message: string } | undefined };
