// The snapshots of a recording for the server: the list, and the contents of one by class. A query thread reads the
// contents, since a snapshot may be large.
import { shareKey, type Recording } from '@turntable/recording';
import type { ClassSize, SnapshotCatalog } from '@turntable/time-machine/server';
import type { QueryRunner } from '../query/query-runner.ts';
import type { SnapshotView } from '../query/snapshot-view.ts';

/** Milliseconds and megabytes. */
const QUERY_LIMITS = { timeout: 600_000, memory: 4096 } as const;

export function snapshotsOf(recording: Recording): SnapshotCatalog {
  // The query thread inherits the key.
  shareKey();
  const { directory } = recording;
  let runner: Promise<QueryRunner> | undefined;
  return {
    all: () => recording.snapshots().map(({ phase, time, bytes, workers }) => ({ phase, time, bytes, workers })),
    async classes(phase) {
      try {
        const answer = (await (runner ??= loadQueryRunner())).run(
          () => Promise.resolve({ recording: directory, phase }),
          classesIn,
          [],
          QUERY_LIMITS,
        );
        return (await answer) as ClassSize[];
      } catch (error) {
        // The rest of the message advises the recorded program.
        const [reason] = (error as Error).message.split(';');
        throw new Error(`snapshot ${phase} cannot be read: ${reason}`, { cause: error });
      }
    },
    close: () => void runner?.then((runnerToClose) => runnerToClose.close()),
  };
}

/** Loaded on first use. */
async function loadQueryRunner(): Promise<QueryRunner> {
  const [queryModule, { defaultCache }] = await Promise.all([
    import('../query/query-runner.ts'),
    import('../query/view-recording.ts'),
  ]);
  return new queryModule.QueryRunner({ cache: defaultCache() });
}

/** Only its source runs in the query thread. */
function classesIn(snapshot: Pick<SnapshotView, 'classes'>): ClassSize[] {
  return snapshot.classes.map(({ name, module, count, bytes, retained }) => ({
    name,
    module,
    count,
    bytes,
    retained,
  }));
}
