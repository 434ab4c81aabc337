// Estimates of seek times from measured ones.
import { expect, test } from 'vitest';
import { SeekEstimator } from '../src/replay-process/seek-estimator.ts';

const MILLION = 1_000_000;

function longestWork(estimator: SeekEstimator): number {
  let work = 0;
  while (!estimator.isSlowerThanStart(work + MILLION / 100)) work += MILLION / 100;
  return work / MILLION;
}

test('a seek is slower than a start if its estimate from measured times is', () => {
  const estimator = new SeekEstimator();
  for (let i = 0; i < 20; i++) {
    estimator.recordSeek(MILLION, 1000);
    estimator.recordStart(MILLION / 2, 2500);
  }
  expect(longestWork(estimator)).toBeCloseTo(2, 1);
  for (let i = 0; i < 20; i++) estimator.recordSeek(MILLION, 100);
  for (let i = 0; i < 20; i++) estimator.recordStart(0, 300);
  expect(longestWork(estimator)).toBeCloseTo(3, 1);
});

test('short seeks are ignored, and a start has a minimum time', () => {
  const estimator = new SeekEstimator();
  const before = longestWork(estimator);
  estimator.recordSeek(10, 1000);
  estimator.recordSeek(-MILLION, 1000);
  expect(longestWork(estimator)).toBe(before);
  for (let i = 0; i < 50; i++) estimator.recordStart(MILLION, 1);
  expect(estimator.isSlowerThanStart(1)).toBe(false);
  expect(longestWork(estimator)).toBeGreaterThan(0);
});

test('a standby process makes shorter seeks slower than a start', () => {
  const estimator = new SeekEstimator();
  for (let i = 0; i < 20; i++) {
    estimator.recordSeek(MILLION, 1000);
    estimator.recordStart(0, 1500);
    estimator.recordStart(0, 200, 'standby');
  }
  expect(longestWork(estimator)).toBeCloseTo(1.5, 1);
  expect(estimator.isSlowerThanStart(MILLION / 2)).toBe(false);
  expect(estimator.isSlowerThanStart(MILLION / 2, 'standby')).toBe(true);
});

test('a delay adds to the time of a seek', () => {
  const estimator = new SeekEstimator();
  for (let i = 0; i < 20; i++) {
    estimator.recordSeek(MILLION, 1000);
    estimator.recordStart(0, 1500);
  }
  expect(estimator.seekMs(MILLION)).toBeCloseTo(1000, -1);
  expect(estimator.startMs('cold')).toBeCloseTo(1500, -1);
  expect(estimator.isSlowerThanStart(MILLION, 'cold', 400)).toBe(false);
  expect(estimator.isSlowerThanStart(MILLION, 'cold', 600)).toBe(true);
});
