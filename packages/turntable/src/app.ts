// What `start` answers: one object in a process, so that a program that goes on finds it where it had it.
import { RuntimeError, type AppStats } from '@turntable/runtime';
import {
  type InPlaceOptions,
  installedLoader,
  notRecordedError,
  type Recorder,
  type TakenSnapshot,
  threadActors,
} from '@turntable/replayer';
import { QueryRunner, type QueryOptions } from './query/query-runner.ts';
import type { SnapshotView } from './query/snapshot-view.ts';

/** The running program, as its main thread sees it. */
export interface App {
  /** What its threads are doing; with `actors`, what each actor does that is among the first ones of its thread or has had some turns. */
  stats(options?: { readonly actors?: boolean }): Promise<AppStats>;
  /**
   * Takes a snapshot of all threads while they go on, and answers when it is on the disk; nothing if the disk does not take it.
   */
  snapshot(): Promise<TakenSnapshot | undefined>;
  /**
   * Begins to record, where the setting `trace` is `'later'`: takes a snapshot from which the program can be replayed, and keeps what comes from outside
   * from there on. Answers as `snapshot`, which is all it does where the program is recorded already.
   */
  record(): Promise<TakenSnapshot | undefined>;
  /** Ends that again: answers the last snapshot of the recording, nothing where it was ended already. */
  endRecording(): Promise<TakenSnapshot | undefined>;
  /**
   * Takes a snapshot and answers what the function says of it. It runs in a thread of its own while all others go on, from its text alone:
   * it captures nothing, and has no imports but those it makes itself. Arguments and answer are copied.
   */
  query<A extends readonly unknown[], R>(
    fn: (snapshot: SnapshotView, ...args: A) => R,
    ...args: A
  ): Promise<Awaited<R>>;
  /** The same, with the time and the memory that it may take. */
  queryWith<A extends readonly unknown[], R>(
    options: QueryOptions,
    fn: (snapshot: SnapshotView, ...args: A) => R,
    ...args: A
  ): Promise<Awaited<R>>;
  /**
   * Goes back to a snapshot, all threads of this process at once: to the last one of this recording, another one, or one of another recording of the
   * program. Nothing of now reaches into what goes on from there. Answers only by failing: then everything goes on as if nothing had been asked.
   */
  restore(options?: InPlaceOptions): Promise<never>;
  /**
   * Waits until nothing is left to do, for so many milliseconds at most, and ends the workers. Answers whether all was done; without a
   * deadline it waits as long as it takes.
   */
  close(options?: { readonly deadline?: number }): Promise<boolean>;
}

let queryRunner: QueryRunner | undefined;

function query(options: QueryOptions, fn: (...args: never[]) => unknown, args: readonly unknown[]): Promise<never> {
  const recorder = threadActors.recorder;
  if (isReplayed()) return asIngest(() => Promise.reject(notRecordedError()));
  if (recorder === undefined) throw notRecordedError();
  queryRunner ??= new QueryRunner({ cache: installedLoader().options.cache });
  const take = async (): Promise<TakenSnapshot> => {
    const snapshot = await recorder.takeSnapshot();
    if (snapshot !== undefined) return snapshot;
    throw new RuntimeError('TT_NO_SNAPSHOT', 'there is nothing to ask: the snapshot could not be written to the disk');
  };
  const runner = queryRunner;
  return asIngest(() => runner.run(take, fn, args, options) as Promise<never>);
}

/** What Turntable answers is an ingest of this thread: so it is the same in a run again. */
function asIngest<T>(request: () => Promise<T>, kind?: 'snapshot'): Promise<T> {
  return threadActors.scheduler.appRequests.request(request, kind) as unknown as Promise<T>;
}

function askRecorder(
  request: (recorder: Recorder) => Promise<TakenSnapshot | undefined>,
): Promise<TakenSnapshot | undefined> {
  const recorder = threadActors.recorder;
  // A program that takes snapshots goes on without, where it is restored and not recorded again.
  if (recorder === undefined && !threadActors.isRestored && !isReplayed()) throw notRecordedError();
  return asIngest(() => (recorder === undefined ? Promise.resolve(undefined) : request(recorder)), 'snapshot');
}

function isReplayed(): boolean {
  return threadActors.scheduler.ingests.isReplaying;
}

/** Functions of its own: the program may keep one. */
export const processApp: App = {
  stats: ({ actors = false } = {}) => asIngest(() => threadActors.app.stats(actors)),
  snapshot: () => askRecorder((recorder) => recorder.takeSnapshot()),
  record: () => askRecorder((recorder) => recorder.start()),
  endRecording: () => askRecorder((recorder) => recorder.stop()),
  query: (fn, ...args) => query({}, fn, args),
  queryWith: (options, fn, ...args) => query(options, fn, args),
  // Where it runs again its process goes no further.
  restore: async (options) =>
    isReplayed() ? new Promise<never>(() => {}) : threadActors.inPlaceRestore.restore(options),
  close({ deadline = Infinity } = {}) {
    threadActors.app.stopSpawning();
    return asIngest(() => {
      const closed = threadActors.app.close(deadline);
      const endQueries = (): void => queryRunner?.close();
      // The program gets what the app answers, when it does.
      closed.then(endQueries, endQueries);
      return closed;
    });
  },
};
