// The tape of this thread's program, if it has one: of a recording with traces, or of a replay. The code that begins either
// registers it here before the program; the interfaces say what the thread's other parts use, which load neither.
import type { MessagePort } from 'node:worker_threads';
import type { LiveRecording, Recording, Writer } from '@turntable/recording';
import type { AppOptions, BegunThread, RecordingTape, Scheduler } from '@turntable/runtime';
import type { StandbyAssignment } from '@turntable/time-machine/replay-process';
import type { ReplayOrder } from '../replay/replay-order.ts';
import type { Places } from '../replay/turn-notes.ts';
import type { Loader } from './loader.ts';

/** A recording with traces, of this process. */
export interface Traced {
  readonly writer: Writer;
  readonly recording: LiveRecording;
  readonly tape: RecordingTape;
  /** Called when the program is about to be loaded. */
  begins(loader: Loader): void;
  /** Notes in the recording what the program has reached that is not in its traces. */
  look(): void;
  /** Ends this thread's trace: the program is over, or goes on in another image. */
  end(why?: string): void;
}

/** Threads of workers that were started ahead of need. */
export interface StartedThreads {
  take(worker: number, life: number): BegunThread | undefined;
}

export interface ThreadReplay {
  readonly recording: Recording;
  readonly order: ReplayOrder;
  /** Called when the thread's scheduler exists. */
  follows(scheduler: Scheduler, places: Places): void;
  /** Called when an actor has failed, or its error is not caught. */
  failed(actor: string, reason: unknown): void;
  /** Limits of workers for which the program wants these. */
  limits(wanted: AppOptions['resourceLimits']): NonNullable<AppOptions['resourceLimits']>;
  /** Options of the app. */
  ofApp(): Pick<AppOptions, 'replay' | 'replayed' | 'variables' | 'begun'>;
  /** What the thread of a worker is given. Can be taken once. */
  forThread(worker: number, life: number): { readonly data: object; readonly transfer: readonly MessagePort[] };
  /** Of a standby process: blocks until there is an assignment. */
  waitForAssignment(): StandbyAssignment;
  /** Completes the order of a standby process, before anything of the program is loaded. */
  becomes(order: ReplayOrder, threads?: StartedThreads): void;
  /** Ends the process: its snapshot, or its program, cannot be loaded. That is not a divergence, since nothing has run. */
  cannotBegin(reason: unknown): never;
}

let traced: Traced | undefined;
let replay: ThreadReplay | undefined;

/** Of this process, if it is recorded with traces. */
export function tracedHere(): Traced | undefined {
  return traced;
}

export function tracesHere(its: Traced): void {
  traced = its;
}

/** Of this thread, if it is replayed. */
export function replayingHere(): ThreadReplay | undefined {
  return replay;
}

export function replaysHere(its: ThreadReplay): void {
  replay = its;
}
