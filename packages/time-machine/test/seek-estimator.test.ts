// Which ways are long ones.
import { expect, test } from 'vitest';
import { SeekEstimator } from '../src/replay-process/seek-estimator.ts';

const MILLION = 1_000_000;

function longestWork(pace: SeekEstimator): number {
  let work = 0;
  while (!pace.isSlowerThanStart(work + MILLION / 100)) work += MILLION / 100;
  return work / MILLION;
}

test('a way is long that takes longer than a process needs to begin, as both were seen', () => {
  const pace = new SeekEstimator();
  for (let i = 0; i < 20; i++) {
    pace.recordSeek(MILLION, 1000);
    pace.recordStart(MILLION / 2, 2500);
  }
  expect(longestWork(pace)).toBeCloseTo(2, 1);
  for (let i = 0; i < 20; i++) pace.recordSeek(MILLION, 100);
  for (let i = 0; i < 20; i++) pace.recordStart(0, 300);
  expect(longestWork(pace)).toBeCloseTo(3, 1);
});

test('short ways say nothing, and a process takes some time to begin however soon it was there', () => {
  const pace = new SeekEstimator();
  const before = longestWork(pace);
  pace.recordSeek(10, 1000);
  pace.recordSeek(-MILLION, 1000);
  expect(longestWork(pace)).toBe(before);
  for (let i = 0; i < 50; i++) pace.recordStart(MILLION, 1);
  expect(pace.isSlowerThanStart(1)).toBe(false);
  expect(longestWork(pace)).toBeGreaterThan(0);
});

test('behind a process that has begun already shorter ways are long ones', () => {
  const pace = new SeekEstimator();
  for (let i = 0; i < 20; i++) {
    pace.recordSeek(MILLION, 1000);
    pace.recordStart(0, 1500);
    pace.recordStart(0, 200, 'standby');
  }
  expect(longestWork(pace)).toBeCloseTo(1.5, 1);
  expect(pace.isSlowerThanStart(MILLION / 2)).toBe(false);
  expect(pace.isSlowerThanStart(MILLION / 2, 'standby')).toBe(true);
});

test('who has still to come before he can go has a longer way', () => {
  const pace = new SeekEstimator();
  for (let i = 0; i < 20; i++) {
    pace.recordSeek(MILLION, 1000);
    pace.recordStart(0, 1500);
  }
  expect(pace.seekMs(MILLION)).toBeCloseTo(1000, -1);
  expect(pace.startMs('cold')).toBeCloseTo(1500, -1);
  expect(pace.isSlowerThanStart(MILLION, 'cold', 400)).toBe(false);
  expect(pace.isSlowerThanStart(MILLION, 'cold', 600)).toBe(true);
});
