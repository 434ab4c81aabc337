// Phases without a snapshot, and replays that need no state: phases begin, nothing is written, and the run is the same
// as with snapshots.
import { createRealm } from '@turntable/core';
import { types } from 'node:util';
import { expect, test, vi } from 'vitest';
import { Scheduler } from '../src/scheduler/scheduler.ts';
import type { WorkerSnapshotsDeps } from '../src/snapshot/worker-snapshots.ts';

interface CutCounts {
  /** The phases, of two, for which a snapshot was started. */
  readonly written: number[];
  skipped: number;
}

async function runTwoPhases(prepare: (scheduler: Scheduler) => void): Promise<CutCounts> {
  const later = (callback: () => void): void => void setImmediate(callback);
  const realm = createRealm({ queueMicrotask, nextTick: process.nextTick });
  const scheduler = new Scheduler(realm, { types, queueMicrotask, setImmediate: later, now: () => 0 });
  const counts: CutCounts = { written: [], skipped: 0 };
  // A capturer that cannot write.
  const capturer = { skipCapture: () => void counts.skipped++ } as Partial<WorkerSnapshotsDeps['capturer']>;
  const deps: Partial<WorkerSnapshotsDeps> = {
    capturer: capturer as WorkerSnapshotsDeps['capturer'],
    onFailed: (phase) => void counts.written.push(phase),
  };
  scheduler.startSnapshots(deps as WorkerSnapshotsDeps);
  prepare(scheduler);
  for (const phase of [1, 2]) scheduler.startPhase(phase);
  await vi.waitFor(() => expect(scheduler.phase).toBe(2));
  return counts;
}

test('a worker that skips its snapshots writes nothing, and its phases begin all the same', async () => {
  expect(await runTwoPhases(() => undefined)).toEqual({ written: [1, 2], skipped: 0 });
  expect(await runTwoPhases((scheduler) => scheduler.skipSnapshots())).toEqual({ written: [], skipped: 2 });
});

test('a worker with selected snapshots writes only those', async () => {
  const some = (scheduler: Scheduler): void => scheduler.skipSnapshots((phase) => phase === 2);
  expect(await runTwoPhases(some)).toEqual({ written: [2], skipped: 1 });
});

test('a phase that begins without a snapshot writes nothing', async () => {
  expect(await runTwoPhases(({ cutPoints }) => cutPoints.add(1))).toEqual({ written: [2], skipped: 1 });
});
