// Registry of this thread's traced recording or replay. The code that starts one registers it before the program is
// loaded. Other parts of the thread use the interfaces here, and so load neither recorder nor replayer.
import type { MessagePort } from 'node:worker_threads';
import type { LiveRecording, Recording, Writer } from '@turntable/recording';
import type { ActorSystemOptions, StandbyThread, RecordingTape, Scheduler } from '@turntable/runtime';
import type { StandbyAssignment } from '@turntable/time-machine/replay-process';
import type { ReplayRequest } from '../replay/replay-request.ts';
import type { CodeLocator } from '../replay/turn-notes.ts';
import type { Loader } from './loader.ts';

/** The recording with traces of this process. */
export interface TracedRecording {
  readonly writer: Writer;
  readonly recording: LiveRecording;
  readonly tape: RecordingTape;
  /** Must be called when the program is about to be loaded. */
  attachLoader(loader: Loader): void;
  /** Adds to the manifest the packages and the unrecorded devices that the program has reached. */
  recordReached(): void;
  /** Calls back when the recording needs a snapshot to continue. Replaces the previous callback. */
  onSnapshotNeeded(callback: () => void): void;
  /** Ends the recording and this thread's trace: the program has ended, or the process is restored in place. */
  end(reason?: string): void;
}

/** Source of worker threads that were started ahead of need. */
export interface StandbyThreadSource {
  take(worker: number, epoch: number): StandbyThread | undefined;
}

/** Options of the app that a replay decides. */
export type ReplayedSystemOptions = Pick<
  ActorSystemOptions,
  'replay' | 'replayedRun' | 'env' | 'standbyThread' | 'lastSnapshot'
>;

export interface ThreadReplay {
  readonly recording: Recording;
  readonly request: ReplayRequest;
  attachScheduler(scheduler: Scheduler, codeLocator: CodeLocator): void;
  reportFailure(actor: string, reason: unknown): void;
  /** Resource limits of a replayed worker, from the limits that the program requested. */
  resourceLimitsFor(
    requestedLimits: ActorSystemOptions['resourceLimits'],
  ): NonNullable<ActorSystemOptions['resourceLimits']>;
  actorSystemOptions(): ReplayedSystemOptions;
  /** Data for a worker's thread. Must be called once for each thread, because the port in the data is transferred. */
  threadDataFor(worker: number, epoch: number): { readonly data: object; readonly transfer: readonly MessagePort[] };
  /** Blocks a standby thread until it has an assignment. */
  waitForAssignment(): StandbyAssignment;
  /** Completes the request of a standby process, before the program is loaded. */
  completeRequest(request: ReplayRequest, threads?: StandbyThreadSource): void;
  /** Ends the process because its snapshot or program cannot be loaded, which is no divergence. */
  failToStart(reason: unknown): never;
}

let tracedRecording: TracedRecording | undefined;
let replay: ThreadReplay | undefined;

export function currentTracedRecording(): TracedRecording | undefined {
  return tracedRecording;
}

export function setTracedRecording(value: TracedRecording): void {
  tracedRecording = value;
}

export function currentReplay(): ThreadReplay | undefined {
  return replay;
}

export function setCurrentReplay(value: ThreadReplay): void {
  replay = value;
}
