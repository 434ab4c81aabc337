// Requests to Turntable that are pending at a snapshot are answered in a program that is restored from it.
import { expect, it, vi } from 'vitest';
import { differences, differencesFrom, replay, runTurntable, snapshotPhases } from '../replay/record-and-replay.ts';
import { recordOnce } from './recorded-once.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const fixture = recordOnce('pending.ts');

it('close(), stats() and query() are performed again by the restored program', () => {
  expect(snapshotPhases(fixture.recordings)).toEqual([1]);
  expect(fixture.recorded.stdout).toContain('stats 2\nquery true\nclosed true\nthe app is closing');
  const { stdout, stderr, status } = runTurntable(['restore', '--trusted', fixture.recording]);
  expect({ stdout, stderr, status }).toEqual({ stdout: fixture.recorded.stdout, stderr: '', status: 0 });
});

it('they have the recorded answers in a replay', () => {
  expect(differences(fixture.recorded, replay(fixture.recording))).toEqual([]);
  expect(differencesFrom(1, fixture.recordings, fixture.recorded)).toEqual([]);
});
