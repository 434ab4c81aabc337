// The object that `start` returns: one per process, so that a restored program finds the same one.
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

/** The running program, seen from its main thread. */
export interface App {
  /**
   * Statistics of all threads; with `actors`, also of each actor that is among the first of its thread or has had many
   * turns.
   */
  stats(options?: { readonly actors?: boolean }): Promise<AppStats>;
  /**
   * Takes a snapshot of all threads while they run. Resolves when it is on disk, with nothing if writing it failed.
   */
  snapshot(): Promise<TakenSnapshot | undefined>;
  /**
   * Starts recording if the setting `trace` is `'later'`: takes a snapshot from which the program can be replayed, and
   * records all inputs from there on. If the program is recorded already, it only takes a snapshot.
   */
  record(): Promise<TakenSnapshot | undefined>;
  /**
   * Stops recording. Resolves with the last snapshot of the recording, or with nothing if it had been stopped before.
   */
  endRecording(): Promise<TakenSnapshot | undefined>;
  /**
   * Takes a snapshot and runs `fn` over it, in a separate thread while all others run on. Only the source of `fn` gets
   * there: it captures nothing and must import its own modules. Arguments and result are copied.
   */
  query<A extends readonly unknown[], R>(
    fn: (snapshot: SnapshotView, ...args: A) => R,
    ...args: A
  ): Promise<Awaited<R>>;
  /** `query` with limits of time and memory. */
  queryWith<A extends readonly unknown[], R>(
    options: QueryOptions,
    fn: (snapshot: SnapshotView, ...args: A) => R,
    ...args: A
  ): Promise<Awaited<R>>;
  /**
   * Restores a snapshot in place, in all threads of this process: the last one of this recording by default, or one of
   * another recording of the program. Nothing of the present state survives. Returns only by rejecting, and has then
   * changed nothing.
   */
  restore(options?: InPlaceOptions): Promise<never>;
  /**
   * Waits until no work is left, at most `deadline` milliseconds, and ends the workers. Resolves with whether all work was
   * done.
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
    throw new RuntimeError('TT_NO_SNAPSHOT', 'no snapshot to query: it could not be written to disk');
  };
  const runner = queryRunner;
  return asIngest(() => runner.run(take, fn, args, options) as Promise<never>);
}

/** What Turntable answers is an ingest of this thread, so that a replay gets the same answer. */
function asIngest<T>(request: () => Promise<T>, kind?: 'snapshot'): Promise<T> {
  return threadActors.scheduler.appRequests.request(request, kind) as unknown as Promise<T>;
}

function askRecorder(
  request: (recorder: Recorder) => Promise<TakenSnapshot | undefined>,
): Promise<TakenSnapshot | undefined> {
  const recorder = threadActors.recorder;
  // A restored program that is not recorded again keeps running without snapshots.
  if (recorder === undefined && !threadActors.isRestored && !isReplayed()) throw notRecordedError();
  return asIngest(() => (recorder === undefined ? Promise.resolve(undefined) : request(recorder)), 'snapshot');
}

function isReplayed(): boolean {
  return threadActors.scheduler.ingests.isReplaying;
}

/** Plain functions, so that the program may keep a single one. */
export const processApp: App = {
  stats: ({ actors = false } = {}) => asIngest(() => threadActors.app.stats(actors)),
  snapshot: () => askRecorder((recorder) => recorder.takeSnapshot()),
  record: () => askRecorder((recorder) => recorder.start()),
  endRecording: () => askRecorder((recorder) => recorder.stop()),
  query: (fn, ...args) => query({}, fn, args),
  queryWith: (options, fn, ...args) => query(options, fn, args),
  // During replay the process ends here.
  restore: async (options) =>
    isReplayed() ? new Promise<never>(() => {}) : threadActors.inPlaceRestore.restore(options),
  close({ deadline = Infinity } = {}) {
    threadActors.app.stopSpawning();
    return asIngest(() => {
      const closed = threadActors.app.close(deadline);
      const endQueries = (): void => queryRunner?.close();
      // The program gets the app's own promise, at its own time.
      closed.then(endQueries, endQueries);
      return closed;
    });
  },
};
