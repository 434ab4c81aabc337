// What the main thread and its workers say to each other beside the actors' messages: few, and none of them on the way of a message.

import type { MessagePort } from 'node:worker_threads';
import type { ActorStats } from './actors/census.ts';
import type { Placement } from './actors/actor-placement.ts';
import type { IdleThread, ThreadStop } from './replay-monitor.ts';
import type { SnapshotInterval } from './snapshot/snapshot-trigger.ts';
import type { SnapshotStats } from './snapshot/worker-snapshots.ts';
import type { WorkerPart } from './snapshot/snapshot-collector.ts';

/** What leads to one other worker, as a thread is given it. */
export interface LinkData {
  readonly worker: number;
  /** How many have had its number before it, and why the last of them has ended. */
  readonly epoch: number;
  readonly lossReason: string | undefined;
  readonly out: SharedArrayBuffer;
  readonly in: SharedArrayBuffer;
  readonly port: MessagePort;
  readonly bell: SharedArrayBuffer;
}

/** What a worker is born with. */
export interface ThreadData {
  readonly index: number;
  /** How many have had this number before. */
  readonly epoch: number;
  readonly workers: number;
  readonly placement: Exclude<Placement, (...args: never) => unknown>;
  readonly links: readonly LinkData[];
  readonly bell: SharedArrayBuffer;
  /** The phase it is born in. */
  readonly phase: number;
  readonly control: MessagePort;
  /** A counter of workers that have ended: when it has grown, `control` has what there is to say. */
  readonly lossCounter: SharedArrayBuffer;
  /** What it was when this worker was made. */
  readonly lossesSeen: number;
  /** Workers that have ended before, and that nothing has taken the place of. */
  readonly endedWorkers: readonly WorkerLoss[];
  /** Of each worker, how many actors it has with which everybody goes back if they are lost; it counts its own. */
  readonly rollbackCounts: SharedArrayBuffer;
  /** Phases begin with a snapshot. */
  readonly hasSnapshots: boolean;
  /** But these: a `BarePhases`'. */
  readonly cutPoints: SharedArrayBuffer;
  /** What leads to where its parts are written, for whoever makes a sink of it. */
  readonly feed: unknown;
  /** Its part of the snapshot it goes on from, when it is told to. */
  readonly restoredPart: Uint8Array | undefined;
  /** What it is to know of the one whose place it has. */
  readonly predecessor: Predecessor | undefined;
  /** When it says that a snapshot is due. */
  readonly snapshotInterval: SnapshotInterval | undefined;
  /** What leads to where its trace is written, for whoever makes a sink of it. */
  readonly trace: unknown;
  /** If this is a run again: what leads to its trace. */
  readonly replay: unknown;
}

/** A snapshot on the disk; if it cannot be read, one before it will do. */
export interface SnapshotLocation {
  readonly recording: string;
  readonly phase: number;
}

/** Which of those have ended that a worker has the place of, and what it is to know of them. */
export interface Predecessor {
  /** Why the last of them has ended. */
  readonly lossReason: string;
  /** What says what it was, if actors of it are to be that again. */
  readonly snapshot: SnapshotLocation | undefined;
  /** Why they are not, if there is none. */
  readonly notRestoredReason: string;
}

/** A worker has ended. */
export interface WorkerLoss {
  readonly worker: number;
  readonly epoch: number;
  readonly reason: string;
  /** What leads to the one that takes its place, if one does. */
  readonly successor: LinkData | undefined;
  /** That one knows what was known there in a snapshot, and claims it. */
  readonly isRestored: boolean;
}

export interface WorkerStats {
  readonly worker: number;
  readonly turns: number;
  /** The task between two snapshots that it is in. */
  readonly phase: number;
  /** Messages that wait. */
  readonly waiting: number;
  /** Milliseconds that turns have taken. */
  readonly busy: number;
  /** Milliseconds by which Node came back late to its loop, the most since they were asked for before. */
  readonly delay: number;
  /** Objects here that other workers hold, and theirs that are held here. */
  readonly exported: number;
  readonly held: number;
  /** Bytes under way to others that are not in the rings: they wait for room there, or are too big for it. */
  readonly spilled: number;
  /** What snapshots have cost it, if it is recorded. */
  readonly snapshots?: SnapshotStats;
  /** Of each actor that lives there and has stood out, if they were asked for. */
  readonly actors?: readonly ActorStats[];
}

/** Nothing was left to do at this moment, and so much had been sent and taken. */
export interface TrafficTotals {
  readonly sent: number;
  readonly taken: number;
}

export interface AppStats {
  /** How often the process has gone on from a snapshot in place: 0 in its first life. */
  readonly epoch: number;
  readonly workers: readonly WorkerStats[];
}

/** What all workers can be asked, and what they answer. */
export interface WorkerQueryResults {
  /** When nothing is left to do. */
  readonly idle: TrafficTotals;
  /** When it has learned who has ended, as far as it was told. */
  readonly lossesSeen: true;
  /** When it does nothing any more, for good, and what it has written is on its way. */
  readonly halted: true;
  /** In a run again: when it stands still, and has said where. */
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
  | { readonly type: 'end' };

export type MessageToMain =
  | { readonly type: 'answer'; readonly queryId: number; readonly answer: WorkerQueryResults[WorkerQuery] }
  | { readonly type: 'snapshotDue' }
  /** In a run again. */
  | ({ readonly type: 'idle' } & IdleThread)
  | ({ readonly type: 'stopped' } & ThreadStop)
  /** It has actors that are to be what they were in a snapshot if it is lost. */
  | { readonly type: 'restorable' }
  /** It is about to end: it could not be what it was in a snapshot. */
  | { readonly type: 'restoreFailed'; readonly reason: string }
  | { readonly type: 'part'; readonly part: WorkerPart }
  | { readonly type: 'partFailed'; readonly phase: number; readonly reason: string; readonly isRetryable: boolean }
  /** `failure`: why it is not, with its code. */
  | { readonly type: 'restored'; readonly failure: { readonly code: string; readonly message: string } | undefined };
