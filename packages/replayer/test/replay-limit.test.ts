// Tests the syntax of `--until` and its texts.
import { expect, it } from 'vitest';
import { parseReplayLimit, replayLimitText, type ReplayLimit } from '../src/replay/replay-limit.ts';

const START = 1_700_000_000_000;
const parse = (text: string): ReplayLimit | undefined => parseReplayLimit(text, () => START);

it.each<[string, ReplayLimit, string]>([
  ['error', { kind: 'error' }, 'the first uncaught error'],
  ['7', { kind: 'phase', phase: 7 }, 'snapshot 7'],
  ['phase=0', { kind: 'phase', phase: 0 }, 'snapshot 0'],
  ['event=340', { kind: 'event', worker: 0, event: 340 }, 'event 340 of the main thread'],
  ['event=3,worker=2', { kind: 'event', worker: 2, event: 3 }, 'event 3 of worker 2'],
  ['worker=2,event=3', { kind: 'event', worker: 2, event: 3 }, 'event 3 of worker 2'],
  ['turn=12', { kind: 'turn', worker: 0, turn: 12 }, 'turn 12 of the main thread'],
  ['turn=12,worker=1', { kind: 'turn', worker: 1, turn: 12 }, 'turn 12 of worker 1'],
  ['actor=Cart#12', { kind: 'actor', actor: 'Cart#12', turn: 0 }, 'a turn of Cart#12'],
  ['actor=Cart#12,turn=5', { kind: 'actor', actor: 'Cart#12', turn: 5 }, 'a turn of Cart#12 from turn 5 on'],
  ['actor=a=b', { kind: 'actor', actor: 'a=b', turn: 0 }, 'a turn of a=b'],
  ['time=+3.5s', { kind: 'time', time: START + 3500 }, '2023-11-14T22:13:23.500Z'],
  ['time=+200ms', { kind: 'time', time: START + 200 }, '2023-11-14T22:13:20.200Z'],
  ['time=+2m', { kind: 'time', time: START + 120_000 }, '2023-11-14T22:15:20.000Z'],
  ['time=2026-11-22T12:00:03Z', { kind: 'time', time: 1_795_348_803_000 }, '2026-11-22T12:00:03.000Z'],
  ['999999999999999', { kind: 'phase', phase: 999_999_999_999_999 }, 'snapshot 999999999999999'],
])('%s is a limit', (text, limit, description) => {
  expect(parse(text)).toEqual(limit);
  expect(replayLimitText(limit)).toBe(description);
});

it.each([
  '',
  'errors',
  '-1',
  '1.5',
  '1000000000000000',
  'phase',
  'phase=',
  'phase=1,worker=1',
  'error,worker=1',
  'event=x',
  'event=1,turn=2',
  'turn=1,event=2',
  'event=1,worker=x',
  'event=1,worker=',
  'turn=1,more=2',
  'worker=1',
  'actor=',
  'actor',
  'actor=Cart,worker=1',
  'actor=Cart,turn=x',
  'actor=Cart,event=1',
  'actor=Cart,turn=1,event=1',
  'turn=1,actor=Cart',
  'time=',
  'time=soon',
  'time=+3h',
  'time=+s',
  'time=3s',
  'time=12:00',
  'time=2026-99-99',
  'time=+1s,worker=1',
  'time=+1s,event=1',
])('%j is no limit', (text) => {
  expect(parse(text)).toBeUndefined();
});
