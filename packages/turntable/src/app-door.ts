// What `start` answers: one object in a process, so that a program that goes on finds it where it had it.
import type { AppStats } from '@turntable/runtime';
import { notRecorded, type TakenSnapshot } from './recorder.ts';
import { isRestored, theApp, theRecorder, theScheduler } from './this-thread.ts';

/** The running program, as its main thread sees it. */
export interface App {
  /** What its threads are doing; with `actors`, what each actor does that is among the first ones of its thread or has had some turns. */
  stats(options?: { readonly actors?: boolean }): Promise<AppStats>;
  /**
   * Takes a snapshot of all threads while they go on, and answers when it is on the disk; nothing if the disk does not take it.
   */
  snapshot(): Promise<TakenSnapshot | undefined>;
  /**
   * Waits until nothing is left to do, for so many milliseconds at most, and ends the workers. Answers whether all was done; without a
   * deadline it waits as long as it takes.
   */
  close(options?: { readonly deadline?: number }): Promise<boolean>;
}

/** Functions of its own: the program may keep one. */
export const appDoor: App = {
  stats: ({ actors = false } = {}) => theApp().stats(actors),
  snapshot() {
    const recorder = theRecorder();
    // A program that takes them goes on without, where it is restored and not recorded again.
    if (recorder === undefined && !isRestored()) throw notRecorded();
    return theScheduler().ask(recorder?.take() ?? Promise.resolve(undefined)) as unknown as ReturnType<App['snapshot']>;
  },
  close: ({ deadline = Infinity } = {}) => theApp().close(deadline),
};
