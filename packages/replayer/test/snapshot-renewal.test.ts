// The recorder looks for a moment for a snapshot until there is one behind the last gap.
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { SnapshotRenewal as Renewal } from '../src/recorder/snapshot-renewal.ts';

let SnapshotRenewal: typeof Renewal;

beforeAll(async () => {
  // The module keeps the timers of its thread.
  vi.useFakeTimers();
  ({ SnapshotRenewal } = await import('../src/recorder/snapshot-renewal.ts'));
});
afterAll(() => void vi.useRealTimers());

function createRenewal() {
  const events: string[] = [];
  const moment = { mayPause: true };
  const renewal = new SnapshotRenewal({
    onStart: () => void events.push('start'),
    mayPause: () => moment.mayPause,
    attempt: () => void events.push('attempt'),
  });
  /** Seconds in which it attempts a snapshot. */
  const attemptsIn = (seconds: number): number[] => {
    const found: number[] = [];
    for (let second = 1; second <= seconds; second++) {
      const before = events.length;
      vi.advanceTimersByTime(1000);
      if (events.length > before) found.push(second);
    }
    return found;
  };
  return { renewal, events, moment, attemptsIn };
}

it('needs another snapshot after a gap behind the cut of the one that is being written', () => {
  const { renewal } = createRenewal();
  expect(renewal.isActive).toBe(false);
  renewal.start(2);
  renewal.start(3);
  renewal.snapshotWritten(3);
  expect(renewal.isActive).toBe(true);
  renewal.snapshotWritten(4);
  expect(renewal.isActive).toBe(false);
});

it('attempts less and less often, until the snapshot is written', () => {
  const { renewal, events, attemptsIn } = createRenewal();
  expect(attemptsIn(3)).toEqual([]);
  renewal.start(1);
  renewal.start(1);
  expect(events).toEqual(['start']);
  expect(attemptsIn(31)).toEqual([1, 3, 7, 15, 31]);
  // At least once in 64 seconds.
  expect(attemptsIn(32 + 64 + 64 + 64)).toEqual([32, 96, 160, 224]);
  renewal.snapshotWritten(2);
  expect(attemptsIn(200)).toEqual([]);
  renewal.start(3);
  expect(events.filter((each) => each === 'start')).toHaveLength(2);
  expect(attemptsIn(3)).toEqual([1, 3]);
  renewal.end();
  expect([renewal.isActive, attemptsIn(10)]).toEqual([false, []]);
});

it('attempts nothing while a snapshot may not pause the program', () => {
  const { renewal, moment, attemptsIn } = createRenewal();
  moment.mayPause = false;
  renewal.start(1);
  expect(attemptsIn(5)).toEqual([]);
  moment.mayPause = true;
  expect(attemptsIn(3)).toEqual([1, 3]);
  renewal.end();
});
