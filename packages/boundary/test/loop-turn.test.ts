// Position within Node's loop, and the constant time within a turn: they decide what a restored program does first.
import { stat } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { createRealm } from '@turntable/core';
import { Timers } from '../src/timers/timers.ts';

let timers: Timers;
let programTimers: typeof globalThis;
beforeAll(() => {
  timers = new Timers(createRealm({ queueMicrotask, nextTick: process.nextTick }));
  programTimers = timers.moduleView as unknown as typeof globalThis;
  timers.trackTurns();
});

const noop: (...args: unknown[]) => void = () => {};
const waitingNames = (): unknown[] => timers.pending().map((timer) => timers.read(timer).args?.[0]);

function busyWait(milliseconds: number): void {
  const start = performance.now();
  while (performance.now() - start < milliseconds);
}

/** Creates a timeout and an immediate, waits, and returns the pending timers in order. */
function createTimers(): unknown[] {
  const timeout = programTimers.setTimeout(noop, 1, 'timeout');
  const immediate = programTimers.setImmediate(noop, 'immediate');
  busyWait(3);
  const found = [...waitingNames(), timers.read(timeout).remaining];
  clearTimeout(timeout);
  programTimers.clearImmediate(immediate);
  return found;
}

it('a timeout created in a turn is not due in that turn, however long the turn takes', async () => {
  const found = await Promise.all([
    new Promise((resolve) => setTimeout(() => resolve(createTimers()), 1)),
    new Promise((resolve) => setImmediate(() => resolve(createTimers()))),
    new Promise((resolve) => stat('.', () => resolve(createTimers()))),
    new Promise((resolve) => process.nextTick(() => queueMicrotask(() => resolve(createTimers())))),
  ]);
  for (const each of found) expect(each).toEqual(['immediate', 'timeout', 1]);
});

it('a timeout of the same round precedes immediates, also in the jobs after its callback', async () => {
  const found: unknown[] = [];
  await new Promise<void>((resolve) => {
    const recordWaiting = (): void => {
      programTimers.setImmediate(noop, 'immediate');
      found.push(waitingNames());
      queueMicrotask(() => process.nextTick(() => found.push(waitingNames())));
    };
    programTimers.setTimeout(recordWaiting, 1);
    programTimers.setTimeout((_name: string) => resolve(), 1, 'other');
    busyWait(3);
  });
  expect(found).toEqual([
    ['other', 'immediate'],
    ['other', 'immediate'],
  ]);
});

it('immediates of the running round precede due timeouts', async () => {
  const found = await new Promise((resolve) => {
    setImmediate(() => busyWait(3));
    programTimers.setImmediate(() => resolve(waitingNames()));
    programTimers.setImmediate(noop, 'immediate');
    programTimers.setTimeout(noop, 1, 'timeout').unref();
  });
  expect(found).toEqual(['immediate', 'timeout']);
});
