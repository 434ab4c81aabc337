// Pool of paused processes: which one is nearest, and which ones end for lack of memory.
import { expect, test } from 'vitest';
import { PausedProcessPool } from '../src/replay-process/paused-process-pool.ts';
import type { Position } from '../src/position.ts';

interface TestProcess {
  readonly position: Position;
  readonly coordinator: { isLost: boolean; memory: number | undefined; end(): void };
}

function processAt(order: number, memory: number | null = 100, statement = 0): TestProcess {
  const coordinator = { isLost: false, memory: memory ?? undefined, end: () => void (coordinator.isLost = true) };
  return { position: { order, list: 0, statement }, coordinator };
}

const positionAt = (order: number, statement = 0): Position => ({ order, list: 0, statement });

test('the nearest process is the last one that is not after the position', () => {
  const pool = new PausedProcessPool<TestProcess>(1000);
  const all = [processAt(50), processAt(90, 100, 3), processAt(200)];
  for (const each of all) pool.add(each);
  expect(pool.nearestBefore(positionAt(49))).toBeUndefined();
  expect(pool.nearestBefore(positionAt(50))).toBe(all[0]);
  expect(pool.nearestBefore(positionAt(90, 2))).toBe(all[0]);
  expect(pool.nearestBefore(positionAt(199))).toBe(all[1]);
  pool.remove(all[1] as TestProcess);
  expect(pool.nearestBefore(positionAt(199))).toBe(all[0]);
  (all[0] as TestProcess).coordinator.isLost = true;
  expect(pool.nearestBefore(positionAt(199))).toBeUndefined();
});

test('the budget limits the processes, and of two close ones the first stays', () => {
  const pool = new PausedProcessPool<TestProcess>(250);
  const all = [processAt(100), processAt(200), processAt(301), processAt(302), processAt(300)];
  for (const each of all) pool.add(each);
  expect(all.map(({ coordinator }) => coordinator.isLost)).toEqual([true, false, true, true, false]);
  pool.add(processAt(700, 300));
  expect(pool.nearestBefore(positionAt(1000))).toBeUndefined();
  expect(all.every(({ coordinator }) => coordinator.isLost)).toBe(true);
});

test('nothing stays without a budget or after closing', () => {
  const empty = new PausedProcessPool<TestProcess>(0);
  const one = processAt(1, null);
  empty.add(one);
  expect(one.coordinator.isLost).toBe(true);
  const pool = new PausedProcessPool<TestProcess>(2 ** 30);
  const other = processAt(1, null);
  pool.add(other);
  expect(other.coordinator.isLost).toBe(false);
  pool.close();
  expect(other.coordinator.isLost).toBe(true);
});
