// The work of one lane: two verified runs of a Savina program. The lane `snapshots` starts a snapshot before each
// sample and writes it during the runs. Started within a run, it might have to write millions of messages in mailboxes,
// by chance.

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
    // The cut happens in a later turn of Node's event loop.
    await new Promise((resolve) => setImmediate(resolve));
    await runTwice();
  };
}
