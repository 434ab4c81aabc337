// Tests the verdict of a replay: each reason, and which reason counts if there are several.
import { describe, expect, it } from 'vitest';
import type { ReplayedWorker, ReplayOutcome } from '../src/replay/replay-outcome.ts';
import { exitCodeOf, judgeOutcome, type RecordingCondition, type Verdict } from '../src/replay/verdict.ts';

const WORKER: ReplayedWorker = { worker: 0, epoch: 0, stopReason: 'ended', events: 1, turns: 0, messages: 0 };
const OUTCOME: ReplayOutcome = {
  workers: [WORKER],
  cuts: [],
  uncomparedReasons: [],
  missingThreads: [],
  milliseconds: 1,
};
const COMPLETE: RecordingCondition = {
  isEnded: true,
  wasStopped: false,
  exitSignal: null,
  missingParts: [],
  unseenOutput: [],
};
const KILLED = { isEnded: false };
const CUT_OFF = { workers: [{ ...WORKER, stopReason: 'cut off' as const }] };
const verdict = (outcome: Partial<ReplayOutcome>, condition: Partial<RecordingCondition> = {}): Verdict =>
  judgeOutcome({ ...OUTCOME, ...outcome }, { ...COMPLETE, ...condition });
const ofWorker = (more: Partial<ReplayedWorker>): Pick<ReplayOutcome, 'workers'> => ({
  workers: [WORKER, { ...WORKER, worker: 1, ...more }],
});
const cuts = (...areSame: boolean[]): Pick<ReplayOutcome, 'cuts'> => ({
  cuts: areSame.map((isSame, phase) => ({ phase, worker: 0, isSame })),
});

describe('a replay', () => {
  it('is the same if all that was recorded was compared and equal', () => {
    expect(verdict({})).toBe('same');
    expect(verdict(cuts(true, true))).toBe('same');
    // Workers may be lost, or still work at the end.
    expect(verdict(ofWorker({ stopReason: 'cut off' }))).toBe('same');
  });

  it('has diverged if a worker has, or a state differs, whatever else is missing', () => {
    expect(verdict(ofWorker({ stopReason: 'diverged' }))).toBe('diverged');
    expect(verdict(ofWorker({ stopReason: 'failed' }))).toBe('diverged');
    expect(verdict(cuts(true, false))).toBe('diverged');
    expect(verdict(cuts(false), { missingParts: ['a trace'], exitSignal: 'SIGKILL' })).toBe('diverged');
    expect(verdict({ ...cuts(false), uncomparedReasons: ['damaged'] }, KILLED)).toBe('diverged');
  });

  it('is incomplete if parts are damaged, missing or not compared', () => {
    expect(verdict(ofWorker({ damage: 'checksum' }))).toBe('incomplete');
    expect(verdict({ uncomparedReasons: ['deleted'] })).toBe('incomplete');
    expect(verdict({}, { missingParts: ['a snapshot'] })).toBe('incomplete');
    expect(verdict({}, { missingParts: ['a snapshot'], wasStopped: true })).toBe('incomplete');
    expect(verdict({ missingThreads: ['1 0'] })).toBe('incomplete');
    expect(verdict(CUT_OFF)).toBe('incomplete');
    expect(verdict({ workers: [] })).toBe('incomplete');
  });

  it('is truncated if the end of the run was not recorded', () => {
    expect(verdict(CUT_OFF, KILLED)).toBe('truncated');
    expect(verdict({ missingThreads: ['1 0'] }, KILLED)).toBe('truncated');
    expect(verdict({ workers: [{ ...WORKER, worker: 1 }] }, KILLED)).toBe('truncated');
    expect(verdict({}, KILLED)).toBe('same');
  });

  it('is the same up to its limit, to the end of a stopped recording, or to a signal of the program to itself', () => {
    const reached = { worker: 0, epoch: 0, events: 1, turns: 0, stateDigests: [] };
    expect(verdict({ ...CUT_OFF, reached })).toBe('same');
    expect(verdict({ workers: [{ ...WORKER, stopReason: 'until' }], missingThreads: ['1 0'] })).toBe('same');
    expect(verdict(CUT_OFF, { wasStopped: true })).toBe('same');
    expect(verdict(CUT_OFF, { exitSignal: 'SIGKILL', isEnded: false })).toBe('same');
  });
});

it('the exit code tells the verdict, and with --strict whether all was recorded and compared', () => {
  const verdicts = ['same', 'truncated', 'incomplete', 'diverged'] as const;
  expect(verdicts.map((each) => exitCodeOf(each))).toEqual([0, 0, 4, 3]);
  expect(verdicts.map((each) => exitCodeOf(each, true))).toEqual([0, 3, 3, 3]);
  expect(verdicts.map((each) => exitCodeOf(each, false, ['a file']))).toEqual([0, 0, 4, 3]);
  expect(exitCodeOf('same', true, ['a file'])).toBe(3);
});
