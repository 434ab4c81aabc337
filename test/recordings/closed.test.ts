// A snapshot of a program that has closed its app has the main thread only. It can be replayed and restored.
import { describe, expect, it, vi } from 'vitest';
import { differences, differencesFrom, replay, runTurntable, snapshotPhases } from '../replay/record-and-replay.ts';
import { recordOnce } from './recorded-once.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const fixture = recordOnce('closed.ts');

describe('a snapshot taken after the app was closed', () => {
  it('is replayed from, as recorded', () => {
    expect(snapshotPhases(fixture.recordings)).toEqual([1]);
    expect(differences(fixture.recorded, replay(fixture.recording))).toEqual([]);
    expect(differencesFrom(1, fixture.recordings, fixture.recorded)).toEqual([]);
  });

  it('is restored into a program whose app is closed', () => {
    const { stdout, stderr, status } = runTurntable(['restore', '--trusted', fixture.recording]);
    expect({ stdout: `[ 1, 1 ]\nclosed true\n${stdout}`, stderr, status }).toEqual({
      stdout: fixture.recorded.stdout,
      stderr: '',
      status: 0,
    });
    expect(stdout).toContain('the app is closing and spawns no more actors');
  });
});
