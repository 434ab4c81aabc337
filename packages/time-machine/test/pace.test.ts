// Which ways are long ones.
import { expect, test } from 'vitest';
import { Pace } from '../src/replay-process/pace.ts';

const MILLION = 1_000_000;

function longest(pace: Pace): number {
  let work = 0;
  while (!pace.isLong(work + MILLION / 100)) work += MILLION / 100;
  return work / MILLION;
}

test('a way is long that takes longer than a process needs to begin, as both were seen', () => {
  const pace = new Pace();
  for (let i = 0; i < 20; i++) {
    pace.went(MILLION, 1000);
    pace.began(MILLION / 2, 2500);
  }
  expect(longest(pace)).toBeCloseTo(2, 1);
  for (let i = 0; i < 20; i++) pace.went(MILLION, 100);
  for (let i = 0; i < 20; i++) pace.began(0, 300);
  expect(longest(pace)).toBeCloseTo(3, 1);
});

test('short ways say nothing, and a process takes some time to begin however soon it was there', () => {
  const pace = new Pace();
  const before = longest(pace);
  pace.went(10, 1000);
  pace.went(-MILLION, 1000);
  expect(longest(pace)).toBe(before);
  for (let i = 0; i < 50; i++) pace.began(MILLION, 1);
  expect(pace.isLong(1)).toBe(false);
  expect(longest(pace)).toBeGreaterThan(0);
});

test('behind a process that has begun already shorter ways are long ones', () => {
  const pace = new Pace();
  for (let i = 0; i < 20; i++) {
    pace.went(MILLION, 1000);
    pace.began(0, 1500);
    pace.began(0, 200, 'ready');
  }
  expect(longest(pace)).toBeCloseTo(1.5, 1);
  expect(pace.isLong(MILLION / 2)).toBe(false);
  expect(pace.isLong(MILLION / 2, 'ready')).toBe(true);
});

test('who has still to come before he can go has a longer way', () => {
  const pace = new Pace();
  for (let i = 0; i < 20; i++) {
    pace.went(MILLION, 1000);
    pace.began(0, 1500);
  }
  expect(pace.takes(MILLION)).toBeCloseTo(1000, -1);
  expect(pace.begins('anew')).toBeCloseTo(1500, -1);
  expect(pace.isLong(MILLION, 'anew', 400)).toBe(false);
  expect(pace.isLong(MILLION, 'anew', 600)).toBe(true);
});
