// What snapshots do before the first one: their code is made quick by being run, where somebody waits for it.
import { expect, test } from 'vitest';
import { Snapshots, type SnapshotPorts, type SnapshotWorker } from '../src/snapshot/snapshots.ts';

/** A worker with nothing to do, for so many milliseconds. */
function rehearsed(isFollowing: boolean, milliseconds: number): number {
  let now = 0;
  let count = 0;
  const worker: Partial<SnapshotWorker> = { here: 0, isFollowing, now: () => now };
  const room: Partial<SnapshotPorts['room']> = {
    rehearsal: () => {
      count++;
      return () => true;
    },
  };
  const snapshots = new Snapshots(worker as SnapshotWorker, { room } as SnapshotPorts);
  for (; now < milliseconds; now += 10) snapshots.spare(true);
  return count;
}

test('a cut is rehearsed three times while there is nothing else to do', () => {
  expect(rehearsed(false, 5000)).toBe(3);
});

test('nothing is rehearsed in a run again', () => {
  expect(rehearsed(true, 5000)).toBe(0);
});
