// Observer of a replaying thread, task by task: it notes what the thread does, or pauses it.
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
  /** An error is not caught. */
  errorUncaught(error: string): void;
  /** The thread runs no further. */
  threadHalted(halt: Halt): void;
  /** The process is about to end. */
  processEnding(): void;
  /** The thread would end, or block for good. Returns when it may. */
  holdAtEnd?(): void;
  /** The process must not end, however long nothing happens. */
  readonly keepsProcess?: boolean;
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
  /** Memory of the main thread; undefined on the main thread. */
  readonly controlMemory: SharedArrayBuffer | undefined;
  /** The thread's end of its channel to the coordinator; undefined on the main thread. */
  readonly coordinatorPort: MessagePort | undefined;
  clock(): TraceClock;
  tape(): ReplayTape;
  /** The request when the program is about to be loaded. */
  request(): ReplayRequest;
}

export interface ThreadObservation {
  readonly observer: ThreadObserver;
  /** Memory for the other threads. */
  readonly controlMemory?: SharedArrayBuffer;
  /** A thread's end of its channel to the coordinator. Can be taken once. */
  takeCoordinatorPort?(thread: ThreadName): MessagePort | undefined;
  /** Of a standby process: blocks until there is an assignment. */
  waitForAssignment?(): StandbyAssignment;
}

/** Creates the observation of a thread, if the request wants one. */
export type CreateThreadObservation = (
  request: ReplayRequest,
  deps: ThreadObservationDeps,
) => ThreadObservation | undefined;
