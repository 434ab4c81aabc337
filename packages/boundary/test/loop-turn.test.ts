// Where in Node's loop a turn stands, and that time stands still in it: decides what a restored program does first.
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

/** Makes a timeout and an immediate, lets time pass, and says what waits in which order. */
function createTimers(): unknown[] {
  const timeout = programTimers.setTimeout(noop, 1, 'timeout');
  const immediate = programTimers.setImmediate(noop, 'immediate');
  busyWait(3);
  const found = [...waitingNames(), timers.read(timeout).remaining];
  clearTimeout(timeout);
  programTimers.clearImmediate(immediate);
  return found;
}

it('a timeout that is made in a turn is not due in it, however long it takes', async () => {
  const found = await Promise.all([
    new Promise((resolve) => setTimeout(() => resolve(createTimers()), 1)),
    new Promise((resolve) => setImmediate(() => resolve(createTimers()))),
    new Promise((resolve) => stat('.', () => resolve(createTimers()))),
    new Promise((resolve) => process.nextTick(() => queueMicrotask(() => resolve(createTimers())))),
  ]);
  for (const each of found) expect(each).toEqual(['immediate', 'timeout', 1]);
});

it('a timeout of the same round comes before immediates, in the jobs after its callback too', async () => {
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

it('immediates of the round that runs come before timeouts that are due', async () => {
  const found = await new Promise((resolve) => {
    setImmediate(() => busyWait(3));
    programTimers.setImmediate(() => resolve(waitingNames()));
    programTimers.setImmediate(noop, 'immediate');
    programTimers.setTimeout(noop, 1, 'timeout').unref();
  });
  expect(found).toEqual(['immediate', 'timeout']);
});
