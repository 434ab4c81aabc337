// What the first step needs is prepared for a user who reads, and not for a script that moves at once.
import { expect, test } from 'vitest';
import { Prefetcher, type Delay } from '../src/stepping/prefetcher.ts';

interface Fixture {
  readonly prefetcher: Prefetcher;
  /** Ends the current delay. */
  wait(): void;
  preparedCount(): number;
}

function fixture(): Fixture {
  let waiting: (() => void) | undefined;
  let prepared = 0;
  const delay: Delay = (run) => {
    waiting = run;
    return () => void (waiting = undefined);
  };
  const pausePoint = { position: { order: 1, list: 0, statement: 0 } };
  const driver = { pausePoint } as never;
  const prefetcher = new Prefetcher({
    graph: { count: 9 } as never,
    scout: driver,
    current: driver,
    nextTaskOfWorker: () => undefined,
    trace: () => Promise.reject(new Error('nothing is near')),
    seek: () => Promise.reject(new Error('nothing is near')),
    prepare: () => prepared++,
    delay,
  });
  const wait = (): void => {
    const run = waiting;
    waiting = undefined;
    run?.();
  };
  return { prefetcher, wait, preparedCount: () => prepared };
}

test('the first step is prepared once, a moment after a client has connected', () => {
  const { prefetcher, wait, preparedCount } = fixture();
  prefetcher.clientConnected();
  expect(preparedCount()).toBe(0);
  wait();
  prefetcher.clientConnected();
  wait();
  expect(preparedCount()).toBe(1);
});

test('a move or the end of the session makes the preparation unnecessary', () => {
  const moving = fixture();
  moving.prefetcher.clientConnected();
  moving.prefetcher.cursorMoved({ order: 5, list: 0, statement: 0 });
  moving.wait();
  expect(moving.preparedCount()).toBe(0);
  const closed = fixture();
  closed.prefetcher.clientConnected();
  closed.prefetcher.close();
  closed.wait();
  expect(closed.preparedCount()).toBe(0);
});
