// The tape of this thread's program, if it has one: of a recording with traces, or of a replay. The code that begins
// either registers it here before the program; the interfaces say what the thread's other parts use, which load
// neither.
import type { MessagePort } from 'node:worker_threads';
import type { LiveRecording, Recording, Writer } from '@turntable/recording';
import type { ActorSystemOptions, StandbyThread, RecordingTape, Scheduler } from '@turntable/runtime';
import type { StandbyAssignment } from '@turntable/time-machine/replay-process';
import type { ReplayRequest } from '../replay/replay-request.ts';
import type { CodeLocator } from '../replay/turn-notes.ts';
import type { Loader } from './loader.ts';

/** A recording with traces, of this process. */
export interface TracedRecording {
  readonly writer: Writer;
  readonly recording: LiveRecording;
  readonly tape: RecordingTape;
  /** Called when the program is about to be loaded. */
  attachLoader(loader: Loader): void;
  /** Notes in the recording what the program has reached that is not in its traces. */
  recordReached(): void;
  /** Ends this thread's trace: the program has ended, or resumes in another image. */
  end(reason?: string): void;
}

/** Threads of workers that were started ahead of need. */
export interface StandbyThreadSource {
  take(worker: number, epoch: number): StandbyThread | undefined;
}

export interface ThreadReplay {
  readonly recording: Recording;
  readonly request: ReplayRequest;
  /** Called when the thread's scheduler exists. */
  attachScheduler(scheduler: Scheduler, codeLocator: CodeLocator): void;
  /** Called when an actor has failed, or its error is not caught. */
  reportFailure(actor: string, reason: unknown): void;
  /** Resource limits of a worker, from those that the program requested. */
  resourceLimitsFor(
    requestedLimits: ActorSystemOptions['resourceLimits'],
  ): NonNullable<ActorSystemOptions['resourceLimits']>;
  /** Options of the app. */
  actorSystemOptions(): Pick<ActorSystemOptions, 'replay' | 'replayedRun' | 'env' | 'standbyThread'>;
  /** Data for a worker's thread; can be taken once. */
  threadDataFor(worker: number, epoch: number): { readonly data: object; readonly transfer: readonly MessagePort[] };
  /** Blocks a standby thread until it has an assignment. */
  waitForAssignment(): StandbyAssignment;
  /** Completes the request of a standby process, before the program is loaded. */
  completeRequest(request: ReplayRequest, threads?: StandbyThreadSource): void;
  /** Ends the process because its snapshot or program cannot be loaded. This is no divergence: nothing has run. */
  failToStart(reason: unknown): never;
}

let tracedRecording: TracedRecording | undefined;
let replay: ThreadReplay | undefined;

/** The recording with traces of this process, if there is one. */
export function currentTracedRecording(): TracedRecording | undefined {
  return tracedRecording;
}

export function setTracedRecording(value: TracedRecording): void {
  tracedRecording = value;
}

/** The replay of this thread, if there is one. */
export function currentReplay(): ThreadReplay | undefined {
  return replay;
}

export function setCurrentReplay(value: ThreadReplay): void {
  replay = value;
}
