// The app: the object that `start` returns. A process has only one, so a restored program finds the same app.
import {
  checkOptionNames,
  requestPerformers,
  RuntimeError,
  type AppStats,
  type SnapshotLocation,
} from '@turntable/runtime';
import {
  type InPlaceOptions,
  installedLoader,
  notRecordedError,
  type Recorder,
  type TakenSnapshot,
  threadActors,
} from '@turntable/replayer';
import { prepareQuery, QueryRunner, type PreparedQuery, type QueryOptions } from './query/query-runner.ts';
import type { SnapshotView } from './query/snapshot-view.ts';

/** The running program, as its main thread sees it. */
export interface App {
  /**
   * Statistics of all threads. With `actors`, they include the first actors of each thread, and all actors with many
   * turns.
   */
  stats(options?: { readonly actors?: boolean }): Promise<AppStats>;
  /** Takes a snapshot of all threads while they run. Resolves when it is on disk; with undefined if writing failed. */
  snapshot(): Promise<TakenSnapshot | undefined>;
  /**
   * Starts recording, if the setting `trace` is `'later'`: takes a snapshot from which the program can be replayed, and
   * records all inputs from then on. If the program is being recorded already, it only takes a snapshot.
   */
  record(): Promise<TakenSnapshot | undefined>;
  /** Stops recording. Resolves with the last snapshot of the recording; with undefined if it was stopped before. */
  endRecording(): Promise<TakenSnapshot | undefined>;
  /**
   * Takes a snapshot and runs `fn` over it in a separate thread, while all other threads run on. Only the source of
   * `fn` is copied there: it has no outer variables and must import its modules. Arguments and result are copied.
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
   * Restores a snapshot in place, in all threads of this process: by default the last snapshot of this recording, or
   * one of another recording of the program. The present state is lost. The promise never resolves; if it rejects,
   * nothing has changed.
   */
  restore(options?: InPlaceOptions): Promise<never>;
  /**
   * Waits for all work to end, at most `deadline` milliseconds, and then ends the workers. Resolves with whether all
   * work was done.
   */
  close(options?: { readonly deadline?: number }): Promise<boolean>;
}

type StatsDetails = { readonly actors: boolean };
type CloseDetails = { readonly deadline: number };

let queryRunner: QueryRunner | undefined;

function query(options: QueryOptions, fn: (...args: never[]) => unknown, args: readonly unknown[]): Promise<never> {
  checkOptionNames('app.queryWith()', options, ['timeout', 'memory']);
  const recorder = threadActors.recorder;
  if (recorder === undefined && !isReplayed()) throw notRecordedError();
  const prepared = prepareQuery(fn, args, options);
  const take = async (): Promise<TakenSnapshot> => {
    const snapshot = await recorder?.takeSnapshot();
    if (snapshot !== undefined) return snapshot;
    throw new RuntimeError(
      'TT_NO_SNAPSHOT',
      'the snapshot for the query could not be written to disk; see the earlier recording warning',
    );
  };
  return asIngest('query', prepared, () => runQuery(take, prepared) as Promise<never>);
}

function runQuery(take: () => Promise<SnapshotLocation>, prepared: PreparedQuery): Promise<unknown> {
  queryRunner ??= new QueryRunner({ cache: installedLoader().options.cache });
  return queryRunner.run(take, prepared);
}

function closeApp({ deadline }: CloseDetails): Promise<boolean> {
  const closed = threadActors.app.close(deadline);
  const endQueries = (): void => queryRunner?.close();
  // The program must get the app's own promise, since a derived promise would settle later.
  closed.then(endQueries, endQueries);
  return closed;
}

// A program that is restored while it awaits an answer gets the answer of the restored process.
requestPerformers.set('stats', ({ actors }: StatsDetails) => threadActors.app.stats(actors));
requestPerformers.set('close', closeApp);
requestPerformers.set('query', (prepared: PreparedQuery, snapshot) =>
  runQuery(() => Promise.resolve(snapshot as SnapshotLocation), prepared),
);

/** Makes an answer of Turntable to the program an ingest of this thread, so that a replay gets the same answer. */
function asIngest<T>(kind: string, details: unknown, request: () => Promise<T>): Promise<T> {
  return threadActors.scheduler.appRequests.request(kind, details, request) as unknown as Promise<T>;
}

function askRecorder(
  request: (recorder: Recorder) => Promise<TakenSnapshot | undefined>,
): Promise<TakenSnapshot | undefined> {
  const recorder = threadActors.recorder;
  // A restored program that is not recorded again continues without snapshots.
  if (recorder === undefined && !threadActors.isRestored && !isReplayed()) throw notRecordedError();
  return asIngest('snapshot', undefined, () =>
    recorder === undefined ? Promise.resolve(undefined) : request(recorder),
  );
}

function isReplayed(): boolean {
  return threadActors.scheduler.ingests.isReplaying;
}

/** The app of this process. Its methods do not use `this`, so that the program can keep single ones. */
export const processApp: App = {
  stats(options = {}) {
    checkOptionNames('app.stats()', options, ['actors']);
    const { actors = false } = options;
    return asIngest('stats', { actors }, () => threadActors.app.stats(actors));
  },
  snapshot: () => askRecorder((recorder) => recorder.takeSnapshot()),
  record: () => askRecorder((recorder) => recorder.start()),
  endRecording: () => askRecorder((recorder) => recorder.stop()),
  query: (fn, ...args) => query({}, fn, args),
  queryWith: (options, fn, ...args) => query(options, fn, args),
  // A replay ends the process here.
  restore: async (options) =>
    isReplayed() ? new Promise<never>(() => {}) : threadActors.inPlaceRestore.restore(options),
  close(options = {}) {
    checkOptionNames('app.close()', options, ['deadline']);
    const { deadline = Infinity } = options;
    threadActors.app.stopSpawning();
    return asIngest('close', { deadline }, () => closeApp({ deadline }));
  },
};
