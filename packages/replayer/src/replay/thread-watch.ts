// Observer of a replaying thread, stretch by stretch: it notes what the thread does, or pauses it.
import type { Halt, Scheduler } from '@turntable/runtime';
import type { Loader } from '../thread/loader.ts';
import type { StretchWatcher } from './stretches.ts';
import type { Places } from './turn-notes.ts';

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
