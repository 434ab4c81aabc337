// Phases of a worker whose states nobody looks at: they begin, nothing is written, and it goes on as if something were.
import { createRealm } from '@turntable/core';
import { types } from 'node:util';
import { expect, test, vi } from 'vitest';
import { Scheduler } from '../src/scheduler.ts';
import type { SnapshotPorts } from '../src/snapshot/snapshots.ts';

interface Seen {
  /** Phases that were to be written, of two that have begun. */
  readonly written: number[];
  passed: number;
}

async function seen(passes: boolean): Promise<Seen> {
  const later = (callback: () => void): void => void setImmediate(callback);
  const realm = createRealm({ queueMicrotask, nextTick: process.nextTick });
  const scheduler = new Scheduler(realm, { types, soon: queueMicrotask, later, now: () => 0 });
  const all: Seen = { written: [], passed: 0 };
  // Nothing can be written with it.
  const room = { pass: () => void all.passed++ } as Partial<SnapshotPorts['room']>;
  const ports: Partial<SnapshotPorts> = {
    room: room as SnapshotPorts['room'],
    failed: (phase) => void all.written.push(phase),
  };
  scheduler.keepSnapshots(ports as SnapshotPorts);
  if (passes) scheduler.passCuts();
  for (const phase of [1, 2]) scheduler.begin(phase);
  await vi.waitFor(() => expect(scheduler.phase).toBe(2));
  return all;
}

test('nothing is written of a worker that passes its cuts, and its phases begin all the same', async () => {
  expect(await seen(false)).toEqual({ written: [1, 2], passed: 0 });
  expect(await seen(true)).toEqual({ written: [], passed: 2 });
});
