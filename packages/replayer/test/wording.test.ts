// Tests counts, sizes, progress lines and limits of retention.
import { expect, it, vi } from 'vitest';
import { ProgressLine } from '../src/output/progress.ts';
import { formatCount, formatSize, plural } from '../src/output/wording.ts';
import { createRetention, maxRecordingBytes } from '../src/recorder/retention.ts';

it('counts have the right number', () => {
  expect([0, 1, 2].map((count) => formatCount(count, 'turn'))).toEqual(['0 turns', '1 turn', '2 turns']);
  expect(['class of actors', 'box', 'match', 'byte', 'ch'].map(plural)).toEqual([
    'classes of actors',
    'boxes',
    'matches',
    'bytes',
    'ches',
  ]);
});

it('sizes have the largest unit that is not above them', () => {
  expect([0, 999, 1000, 1550, 999_940, 1_000_000, 1e9, 1e12].map(formatSize)).toEqual([
    '0 B',
    '999 B',
    '1.0 KB',
    '1.6 KB',
    '999.9 KB',
    '1.0 MB',
    '1.0 GB',
    '1000.0 GB',
  ]);
});

it('a progress line is shown at most ten times a second, and removed', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 });
  const written: string[] = [];
  const progress = new ProgressLine({ isTTY: true, write: (text: string) => (written.push(text), true) } as never);
  progress.clear();
  const showAt = (milliseconds: number): void => {
    vi.setSystemTime(1_000_000 + milliseconds);
    progress.show(() => `at ${milliseconds}`);
  };
  for (const milliseconds of [0, 99, 100, 150, 199, 200]) showAt(milliseconds);
  progress.clear();
  progress.clear();
  expect(written.map((text) => text.replaceAll('\u001B[K', '<end>'))).toEqual([
    '\rat 0<end>',
    '\rat 100<end>',
    '\rat 200<end>',
    '\r<end>',
  ]);
  vi.useRealTimers();
});

it('there is no progress without a terminal', () => {
  const written: string[] = [];
  const progress = new ProgressLine({ isTTY: false, write: (text: string) => (written.push(text), true) } as never);
  progress.show(() => 'never');
  progress.clear();
  expect(written).toEqual([]);
});

it('limits of retention have their defaults, and can be removed', () => {
  expect(createRetention({})).toEqual({ snapshots: { bytes: 2 * 2 ** 30 }, recordings: { bytes: 20 * 2 ** 30 } });
  expect(createRetention({ count: 3, age: '2h', bytes: '1MB', recordings: 4, total: '2MB' })).toEqual({
    snapshots: { count: 3, age: 7_200_000, bytes: 2 ** 20 },
    recordings: { count: 4, bytes: 2 * 2 ** 20 },
  });
  expect(createRetention({ bytes: 'unlimited', total: 'unlimited' })).toEqual({ snapshots: {}, recordings: {} });
  expect([{}, { bytes: 100 }, { bytes: 'unlimited' } as const].map(maxRecordingBytes)).toEqual([
    2 * 2 ** 30,
    100,
    undefined,
  ]);
});
