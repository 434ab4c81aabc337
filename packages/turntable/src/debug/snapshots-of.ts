// The snapshots of a recording, for its time machine: which there are, and what one holds, class by class. A thread of its own finds that out, as it does the queries of programs: a snapshot may be large.
import { takeKey, type Recording } from '@turntable/recording';
import type { ClassSize, Snapshots } from '@turntable/time-machine/server';
import type { Queries } from '../query/queries.ts';
import type { SnapshotView } from '../query/snapshot-view.ts';

/** Milliseconds, and megabytes of the thread. */
const ALLOWED = { timeout: 600_000, memory: 4096 } as const;

export function snapshotsOf(recording: Recording): Snapshots {
  // Its thread has to know it.
  takeKey();
  const { directory } = recording;
  let queries: Promise<Queries> | undefined;
  return {
    all: () => recording.snapshots().map(({ phase, time, bytes, workers }) => ({ phase, time, bytes, workers })),
    async classes(phase) {
      try {
        const asked = (await (queries ??= queriesHere())).ask(
          () => Promise.resolve({ recording: directory, phase }),
          classesIn,
          [],
          ALLOWED,
        );
        return (await asked) as ClassSize[];
      } catch (error) {
        // What a program could do about it is not for who looks at its recording.
        const [why] = (error as Error).message.split(';');
        throw new Error(`snapshot ${phase} cannot be looked into: ${why}`, { cause: error });
      }
    },
    close: () => void queries?.then((its) => its.close()),
  };
}

/** Loaded once somebody asks. */
async function queriesHere(): Promise<Queries> {
  const [its, { cacheHere }] = await Promise.all([import('../query/queries.ts'), import('../query/view-recording.ts')]);
  return new its.Queries({ cache: cacheHere() });
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
