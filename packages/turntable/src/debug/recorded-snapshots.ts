// The snapshots of a recording, for its time machine: which there are, and what one holds, class by class. A thread of its own finds that out, as it does the queries of programs: a snapshot may be large.
import { shareKey, type Recording } from '@turntable/recording';
import type { ClassSize, SnapshotCatalog } from '@turntable/time-machine/server';
import type { QueryRunner } from '../query/query-runner.ts';
import type { SnapshotView } from '../query/snapshot-view.ts';

/** Milliseconds, and megabytes of the thread. */
const QUERY_LIMITS = { timeout: 600_000, memory: 4096 } as const;

export function snapshotsOf(recording: Recording): SnapshotCatalog {
  // Its thread has to know it.
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
        // What a program could do about it is not for who looks at its recording.
        const [reason] = (error as Error).message.split(';');
        throw new Error(`snapshot ${phase} cannot be looked into: ${reason}`, { cause: error });
      }
    },
    close: () => void runner?.then((runnerToClose) => runnerToClose.close()),
  };
}

/** Loaded once somebody asks. */
async function loadQueryRunner(): Promise<QueryRunner> {
  const [queryModule, { defaultCache }] = await Promise.all([
    import('../query/query-runner.ts'),
    import('../query/view-recording.ts'),
  ]);
  return new queryModule.QueryRunner({ cache: defaultCache() });
}

/** It is its text alone that runs there. */
function classesIn(snapshot: Pick<SnapshotView, 'classes'>): ClassSize[] {
  return snapshot.classes.map(({ name, module, count, bytes, retained }) => ({
    name,
    module,
    count,
    bytes,
    retained,
  }));
}
