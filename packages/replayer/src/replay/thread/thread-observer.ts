// Port to the observer of a replaying thread's tasks: a run index logs them, a replay process pauses between them.
import type { MessagePort } from 'node:worker_threads';
import type { ReplayTape, Halt, Scheduler } from '@turntable/runtime';
import type { StandbyAssignment, ThreadName } from '@turntable/time-machine/replay-process';
import type { Loader } from '../../thread/loader.ts';
import type { TraceClock } from '../../trace/timeline.ts';
import type { ReplayRequest } from '../replay-request.ts';
import type { TaskObserver } from './task-tracker.ts';
import type { CodeLocator } from '../turn-notes.ts';

export interface ThreadObserver extends TaskObserver {
  /** The program is about to be loaded. */
  attachLoader?(loader: Loader): void;
  /** The thread's scheduler exists. */
  attachScheduler(scheduler: Scheduler, codeLocator: CodeLocator): void;
  errorUncaught(error: string): void;
  /** The thread has stopped for good. */
  threadHalted(halt: Halt): void;
  /** The process is about to end. */
  processEnding(): void;
  /** Holds a thread that is about to end or to block for good. Returns when it may. */
  holdAtEnd?(): void;
  /** Whether the process must stay alive without progress. */
  readonly keepsProcessAlive?: boolean;
}

export interface ObservedThread {
  readonly worker: number;
  readonly epoch: number;
  /** The phase at which the thread's replay starts. */
  readonly phase: number;
}

export interface ThreadObservationDeps {
  readonly thread: ObservedThread;
  /** All threads of the recording. */
  readonly threads: readonly ThreadName[];
  /** Control words that the main thread created; undefined on the main thread. */
  readonly controlMemory: SharedArrayBuffer | undefined;
  /** The thread's end of its channel to the coordinator; undefined on the main thread. */
  readonly coordinatorPort: MessagePort | undefined;
  clock(): TraceClock;
  tape(): ReplayTape;
  /** The request; a standby thread has a complete one only after its assignment. */
  request(): ReplayRequest;
}

export interface ThreadObservation {
  readonly observer: ThreadObserver;
  /** Control words to pass to other threads. */
  readonly controlMemory?: SharedArrayBuffer;
  /** A thread's end of its channel to the coordinator. Can be taken once. */
  takeCoordinatorPort?(thread: ThreadName): MessagePort | undefined;
  /** Present in a standby process: blocks until there is an assignment. */
  waitForAssignment?(): StandbyAssignment;
}

/** Creates the observation of a thread, if the request asks for one. */
export type CreateThreadObservation = (
  request: ReplayRequest,
  deps: ThreadObservationDeps,
) => ThreadObservation | undefined;
