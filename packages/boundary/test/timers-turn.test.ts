// Where in Node's loop a turn stands, and that time stands still in it: decides what a restored program does first.
import { stat } from 'node:fs';
import { beforeAll, expect, it } from 'vitest';
import { createRealm } from '@turntable/core';
import { Timers } from '../src/timers/timers.ts';

let timers: Timers;
let own: typeof globalThis;
beforeAll(() => {
  timers = new Timers(createRealm({ queueMicrotask, nextTick: process.nextTick }));
  own = timers.exports as unknown as typeof globalThis;
  timers.followTurns();
});

const nothing: (...args: unknown[]) => void = () => {};
const waiting = (): unknown[] => timers.pending().map((timer) => timers.read(timer).args?.[0]);

function pass(milliseconds: number): void {
  const start = performance.now();
  while (performance.now() - start < milliseconds);
}

/** Makes a timeout and an immediate, lets time pass, and says what waits in which order. */
function made(): unknown[] {
  const timeout = own.setTimeout(nothing, 1, 'timeout');
  const immediate = own.setImmediate(nothing, 'immediate');
  pass(3);
  const found = [...waiting(), timers.read(timeout).remaining];
  clearTimeout(timeout);
  own.clearImmediate(immediate);
  return found;
}

it('a timeout that is made in a turn is not due in it, however long it takes', async () => {
  const found = await Promise.all([
    new Promise((resolve) => setTimeout(() => resolve(made()), 1)),
    new Promise((resolve) => setImmediate(() => resolve(made()))),
    new Promise((resolve) => stat('.', () => resolve(made()))),
    new Promise((resolve) => process.nextTick(() => queueMicrotask(() => resolve(made())))),
  ]);
  for (const each of found) expect(each).toEqual(['immediate', 'timeout', 1]);
});

it('a timeout of the same round comes before immediates, in the jobs after its callback too', async () => {
  const found: unknown[] = [];
  await new Promise<void>((resolve) => {
    const look = (): void => {
      own.setImmediate(nothing, 'immediate');
      found.push(waiting());
      queueMicrotask(() => process.nextTick(() => found.push(waiting())));
    };
    own.setTimeout(look, 1);
    own.setTimeout((_name: string) => resolve(), 1, 'other');
    pass(3);
  });
  expect(found).toEqual([
    ['other', 'immediate'],
    ['other', 'immediate'],
  ]);
});

it('immediates of the round that runs come before timeouts that are due', async () => {
  const found = await new Promise((resolve) => {
    setImmediate(() => pass(3));
    own.setImmediate(() => resolve(waiting()));
    own.setImmediate(nothing, 'immediate');
    own.setTimeout(nothing, 1, 'timeout').unref();
  });
  expect(found).toEqual(['immediate', 'timeout']);
});
