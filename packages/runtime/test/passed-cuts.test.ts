// Phases of a worker whose states nobody looks at: they begin, and nothing is written.
import { createRealm } from '@turntable/core';
import { types } from 'node:util';
import { expect, test, vi } from 'vitest';
import { Scheduler } from '../src/scheduler.ts';
import type { SnapshotPorts } from '../src/snapshot/snapshots.ts';

/** Phases that were to be written, of two that have begun. */
async function written(passes: boolean): Promise<number[]> {
  const later = (callback: () => void): void => void setImmediate(callback);
  const realm = createRealm({ queueMicrotask, nextTick: process.nextTick });
  const scheduler = new Scheduler(realm, { types, soon: queueMicrotask, later, now: () => 0 });
  const tried: number[] = [];
  // Nothing can be written with it.
  const room = {} as SnapshotPorts['room'];
  const ports: Partial<SnapshotPorts> = { room, failed: (phase) => void tried.push(phase) };
  scheduler.keepSnapshots(ports as SnapshotPorts);
  if (passes) scheduler.passCuts();
  for (const phase of [1, 2]) scheduler.begin(phase);
  await vi.waitFor(() => expect(scheduler.phase).toBe(2));
  return tried;
}

test('nothing is written of a worker that passes its cuts, and its phases begin all the same', async () => {
  expect(await written(false)).toEqual([1, 2]);
  expect(await written(true)).toEqual([]);
});
