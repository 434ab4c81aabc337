// Rehearsals of snapshots: their code runs before the first cut, so that V8 has optimized it.
import { expect, test } from 'vitest';
import { WorkerSnapshots, type WorkerSnapshotsDeps, type SnapshotWorker } from '../src/snapshot/worker-snapshots.ts';

/** A worker that is idle for the given number of milliseconds. */
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

test('an idle worker rehearses three times before its first cut', () => {
  expect(countRehearsals(false, 5000)).toBe(3);
});

test('a replay does not rehearse', () => {
  expect(countRehearsals(true, 5000)).toBe(0);
});
