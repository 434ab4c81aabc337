// What snapshots do before the first one: their code is made quick by being run, where somebody waits for it.
import { expect, test } from 'vitest';
import { WorkerSnapshots, type WorkerSnapshotsDeps, type SnapshotWorker } from '../src/snapshot/worker-snapshots.ts';

/** A worker with nothing to do, for so many milliseconds. */
function countRehearsals(isReplaying: boolean, milliseconds: number): number {
  let now = 0;
  let count = 0;
  const worker: Partial<SnapshotWorker> = { ownWorker: 0, isReplaying, now: () => now };
  const capturer: Partial<WorkerSnapshotsDeps['capturer']> = {
    startRehearsal: () => {
      count++;
      return () => true;
    },
  };
  const snapshots = new WorkerSnapshots(worker as SnapshotWorker, { capturer } as WorkerSnapshotsDeps);
  for (; now < milliseconds; now += 10) snapshots.runSpareWork(true);
  return count;
}

test('a cut is rehearsed three times while there is nothing else to do', () => {
  expect(countRehearsals(false, 5000)).toBe(3);
});

test('nothing is rehearsed in a run again', () => {
  expect(countRehearsals(true, 5000)).toBe(0);
});
