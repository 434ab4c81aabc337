// Interface of the observers of a replaying thread: the task log of a run index, and the controller of a replay
// process.
import type { MessagePort } from 'node:worker_threads';
import type { ReplayTape, Halt, Scheduler } from '@turntable/runtime';
import type { StandbyAssignment, ThreadName } from '@turntable/time-machine/replay-process';
import type { Loader } from '../../thread/loader.ts';
import type { TraceClock } from '../../trace/timeline.ts';
import type { ReplayRequest } from '../replay-request.ts';
import type { TaskObserver } from './task-tracker.ts';
import type { CodeLocator } from '../turn-notes.ts';

export interface ThreadObserver extends TaskObserver {
  /** Called when the program is about to be loaded. */
  attachLoader?(loader: Loader): void;
  /** Called when the thread's scheduler has been created. */
  attachScheduler(scheduler: Scheduler, codeLocator: CodeLocator): void;
  /** @param isRejection whether the error is an unhandled rejection */
  errorUncaught(text: string, error: unknown, isRejection: boolean): void;
  /** Called when the thread has stopped for good. */
  threadHalted(halt: Halt): void;
  /** Called in the main thread when a worker that has a replacement has stopped. It may delay the call of `replace`. */
  workerReplaceable?(stopped: ThreadName, replace: () => void): void;
  /** Called when the process is about to end. */
  processEnding(): void;
  /** Blocks a thread that is about to end or to block for good, until it may do so. */
  holdAtEnd?(): void;
  /** Whether the process must stay alive although no thread makes progress. */
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
  /** The request, which is incomplete in a standby thread before its assignment. */
  request(): ReplayRequest;
  /** Delivers pending messages of workers while the main thread blocks its event loop. */
  pumpMessages(): void;
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
