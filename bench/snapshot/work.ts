// What one lane does again and again: two runs of a program of Savina, verified. `snapshots`: one has begun before each two, and is written while
// they run. Begun within a run it may find millions of messages in mailboxes, all of which it has to write: chance would decide.

import { Runner } from '../savina/runner.ts';

export type SnapshotLane = 'none' | 'recorded' | 'snapshots';

export async function workOf(name: string, size: string, lane: SnapshotLane): Promise<() => Promise<void>> {
  const runner = new Runner('main');
  const run = runner.spawn(name, size);
  const runTwice = async (): Promise<void> => {
    await run.once();
    await run.once();
  };
  await runTwice();
  if (lane !== 'snapshots') return runTwice;
  const { threadActors } = await import('../../packages/replayer/src/thread/thread-actors.ts');
  return async () => {
    void threadActors.recorder?.takeSnapshot();
    // The cut is made in a turn of Node's own.
    await new Promise((resolve) => setImmediate(resolve));
    await runTwice();
  };
}
