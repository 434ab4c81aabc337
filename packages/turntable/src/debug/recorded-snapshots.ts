// The snapshots of a recording for the server: their list, and the contents of a snapshot by class. A query thread
// reads the contents, since a snapshot may be large.
import { shareKey, type Recording } from '@turntable/recording';
import type { ClassSize, SnapshotCatalog } from '@turntable/time-machine/server';
import type { prepareQuery, QueryRunner } from '../query/query-runner.ts';
import type { SnapshotView } from '../query/snapshot-view.ts';

/** Limits of a query: milliseconds, and megabytes. */
const QUERY_LIMITS = { timeout: 600_000, memory: 4096 } as const;

interface QueryModule {
  readonly queryRunner: QueryRunner;
  readonly prepareQuery: typeof prepareQuery;
}

export function snapshotsOf(recording: Recording): SnapshotCatalog {
  // The key is shared with the query thread.
  shareKey();
  const { directory } = recording;
  let queries: Promise<QueryModule> | undefined;
  return {
    all: () => recording.snapshots().map(({ phase, time, bytes, workers }) => ({ phase, time, bytes, workers })),
    async classes(phase) {
      try {
        const { queryRunner, prepareQuery } = await (queries ??= loadQueries());
        const query = prepareQuery(classesIn, [], QUERY_LIMITS);
        return (await queryRunner.run(() => Promise.resolve({ recording: directory, phase }), query)) as ClassSize[];
      } catch (error) {
        // Only the reason counts: the rest of the message gives advice for programs that query themselves.
        const [reason] = (error as Error).message.split(';');
        throw new Error(`snapshot ${phase} cannot be read: ${reason}`, { cause: error });
      }
    },
    close: () => void queries?.then(({ queryRunner }) => queryRunner.close()),
  };
}

/** Loads the query modules when a snapshot is first read. */
async function loadQueries(): Promise<QueryModule> {
  const { QueryRunner, prepareQuery } = await import('../query/query-runner.ts');
  return { queryRunner: new QueryRunner({ cache: undefined }), prepareQuery };
}

/** Runs in the query thread, which gets only the source of this function. */
function classesIn(snapshot: Pick<SnapshotView, 'classes'>): ClassSize[] {
  return snapshot.classes.map(({ name, module, count, bytes, retained }) => ({
    name,
    module,
    count,
    bytes,
    retained,
  }));
}
