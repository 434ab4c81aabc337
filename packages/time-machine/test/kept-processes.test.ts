// Processes that wait where somebody has been: which one is nearest, and which go when there is no room for more.
import { expect, test } from 'vitest';
import { KeptProcesses } from '../src/replay-process/kept-processes.ts';
import type { Position } from '../src/position.ts';

interface Standing {
  readonly at: Position;
  readonly coordinator: { isLost: boolean; memory: number | undefined; end(): void };
}

function standing(order: number, memory: number | null = 100, statement = 0): Standing {
  const coordinator = { isLost: false, memory: memory ?? undefined, end: () => void (coordinator.isLost = true) };
  return { at: { order, list: 0, statement }, coordinator };
}

const at = (order: number, statement = 0): Position => ({ order, list: 0, statement });

test('the nearest is the last that does not stand behind', () => {
  const kept = new KeptProcesses<Standing>(1000);
  const all = [standing(50), standing(90, 100, 3), standing(200)];
  for (const each of all) kept.keep(each);
  expect(kept.nearest(at(49))).toBeUndefined();
  expect(kept.nearest(at(50))).toBe(all[0]);
  expect(kept.nearest(at(90, 2))).toBe(all[0]);
  expect(kept.nearest(at(199))).toBe(all[1]);
  kept.take(all[1] as Standing);
  expect(kept.nearest(at(199))).toBe(all[0]);
  (all[0] as Standing).coordinator.isLost = true;
  expect(kept.nearest(at(199))).toBeUndefined();
});

test('there are as many as the budget allows, and of two that are near each other the first', () => {
  const kept = new KeptProcesses<Standing>(250);
  const all = [standing(100), standing(200), standing(301), standing(302), standing(300)];
  for (const each of all) kept.keep(each);
  expect(all.map(({ coordinator }) => coordinator.isLost)).toEqual([true, false, true, true, false]);
  kept.keep(standing(700, 300));
  expect(kept.nearest(at(1000))).toBeUndefined();
  expect(all.every(({ coordinator }) => coordinator.isLost)).toBe(true);
});

test('nothing is kept without a budget, or when it is closed', () => {
  const none = new KeptProcesses<Standing>(0);
  const one = standing(1, null);
  none.keep(one);
  expect(one.coordinator.isLost).toBe(true);
  const kept = new KeptProcesses<Standing>(2 ** 30);
  const other = standing(1, null);
  kept.keep(other);
  expect(other.coordinator.isLost).toBe(false);
  kept.close();
  expect(other.coordinator.isLost).toBe(true);
});
