// Phases that begin without a snapshot, and those of a worker whose states nobody looks at: they begin, nothing is written, and it goes on as if something were.
import { createRealm } from '@turntable/core';
import { types } from 'node:util';
import { expect, test, vi } from 'vitest';
import { Scheduler } from '../src/scheduler/scheduler.ts';
import type { SnapshotPorts } from '../src/snapshot/snapshots.ts';

interface Seen {
  /** Phases that were to be written, of two that have begun. */
  readonly written: number[];
  passed: number;
}

async function seen(begun: (scheduler: Scheduler) => void): Promise<Seen> {
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
  begun(scheduler);
  for (const phase of [1, 2]) scheduler.begin(phase);
  await vi.waitFor(() => expect(scheduler.phase).toBe(2));
  return all;
}

test('nothing is written of a worker that passes its cuts, and its phases begin all the same', async () => {
  expect(await seen(() => undefined)).toEqual({ written: [1, 2], passed: 0 });
  expect(await seen((scheduler) => scheduler.passCuts())).toEqual({ written: [], passed: 2 });
});

test('only what is wanted is written of one of which some states are', async () => {
  const some = (scheduler: Scheduler): void => scheduler.passCuts((phase) => phase === 2);
  expect(await seen(some)).toEqual({ written: [2], passed: 1 });
});

test('nothing is written of a phase that begins without a snapshot', async () => {
  expect(await seen(({ bare }) => bare.add(1))).toEqual({ written: [2], passed: 1 });
});
