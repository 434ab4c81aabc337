// A snapshot of a program that has closed its app has the main thread only, and is as good as any other.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  differences,
  differencesFrom,
  record,
  recordingIn,
  replay,
  runTurntable,
  snapshotPhases,
  type TurntableResult,
} from '../replay/record-and-replay.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PROGRAM = fileURLToPath(new URL('fixtures/closed.ts', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'turntable-closed-'));
const recordings = join(scratch, 'recordings');
let recorded: TurntableResult;

beforeAll(() => void (recorded = record(recordings, [PROGRAM])));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

describe('a snapshot taken after the app was closed', () => {
  it('is replayed from, as recorded', () => {
    expect(snapshotPhases(recordings)).toEqual([1]);
    expect(differences(recorded, replay(recordingIn(recordings)))).toEqual([]);
    expect(differencesFrom(1, recordings, recorded)).toEqual([]);
  });

  it('is restored into a program whose app is closed', () => {
    const { stdout, stderr, status } = runTurntable(['restore', recordingIn(recordings)]);
    expect({ stdout: `[ 1, 1 ]\nclosed true\n${stdout}`, stderr, status }).toEqual({
      stdout: recorded.stdout,
      stderr: '',
      status: 0,
    });
    expect(stdout).toContain('the app is closing and spawns no more actors');
  });
});
