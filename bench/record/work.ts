// The work of one lane: two verified runs of a Savina program. The lane `snapshots` takes a snapshot after as many
// turns as two runs have: one per sample, at an arbitrary point of the program.

import type { WorkerSetup } from '../savina/options.ts';
import { Runner } from '../savina/runner.ts';

export const LANES = ['none', 'traced', 'snapshots'] as const;
export type RecordLane = (typeof LANES)[number];

export async function workOf(
  name: string,
  size: string,
  lane: RecordLane,
  workerSetup: WorkerSetup,
): Promise<() => Promise<void>> {
  const runner = new Runner(workerSetup);
  const run = runner.spawn(name, size);
  const runTwice = async (): Promise<void> => {
    await run.once();
    await run.once();
  };
  if (lane === 'snapshots') {
    const before = await runner.turnsOfBusiest();
    await runTwice();
    const { threadActors } = await import('../../packages/replayer/src/thread/thread-actors.ts');
    const turns = (await runner.turnsOfBusiest()) - before;
    threadActors.app.onSnapshotDue({ turns }, () => void threadActors.recorder?.takeSnapshot());
  }
  return runTwice;
}
