// Observer of a replaying thread, stretch by stretch: it notes what the thread does, or pauses it.
import type { MessagePort } from 'node:worker_threads';
import type { FollowingTape, Halt, Scheduler } from '@turntable/runtime';
import type { StandbyAssignment, ThreadName } from '@turntable/time-machine/replay-process';
import type { Loader } from '../../thread/loader.ts';
import type { Clock } from '../../trace/timeline.ts';
import type { ReplayOrder } from '../replay-order.ts';
import type { StretchWatcher } from './stretches.ts';
import type { Places } from '../turn-notes.ts';

export interface ThreadWatch extends StretchWatcher {
  /** The program is about to be loaded. */
  starts?(loader: Loader): void;
  /** The thread's scheduler exists. */
  follows(scheduler: Scheduler, places: Places): void;
  /** An error is not caught. */
  fails(error: string): void;
  /** The thread runs no further. */
  halts(halt: Halt): void;
  /** The process is about to end. */
  leaves(): void;
  /** The thread would end, or block for good. Returns when it may. */
  rests?(): void;
  /** The process must not end, however long nothing happens. */
  readonly isWatched?: boolean;
}

export interface WatchedThread {
  readonly worker: number;
  readonly life: number;
  /** The phase that its trace is followed from. */
  readonly phase: number;
}

export interface WatchDeps {
  readonly thread: WatchedThread;
  /** All that the recording has. */
  readonly threads: readonly ThreadName[];
  /** The main thread's; nothing on the main thread. */
  readonly control: SharedArrayBuffer | undefined;
  /** The thread's end of its channel to the coordinator; undefined on the main thread. */
  readonly coordinator: MessagePort | undefined;
  clock(): Clock;
  tape(): FollowingTape;
  /** As it is when the program is about to be loaded. */
  order(): ReplayOrder;
}

export interface Watching {
  readonly watch: ThreadWatch;
  /** For the other threads. */
  readonly control?: SharedArrayBuffer;
  /** A thread's end of its channel to the coordinator. Can be taken once. */
  coordinatorPort?(thread: ThreadName): MessagePort | undefined;
  /** Of a standby process: blocks until there is an assignment. */
  waitForAssignment?(): StandbyAssignment;
}

/** Gives a thread its watch, if the order wants one. */
export type WatchThread = (order: ReplayOrder, deps: WatchDeps) => Watching | undefined;
