// Requests to Turntable that are pending at a snapshot are answered in a program that is restored from it.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
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

const PROGRAM = fileURLToPath(new URL('fixtures/pending.ts', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'turntable-pending-'));
const recordings = join(scratch, 'recordings');
let recorded: TurntableResult;

beforeAll(() => void (recorded = record(recordings, [PROGRAM])));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

it('close(), stats() and query() are performed again by the restored program', () => {
  expect(snapshotPhases(recordings)).toEqual([1]);
  expect(recorded.stdout).toContain('stats 2\nquery true\nclosed true\nthe app is closing');
  const { stdout, stderr, status } = runTurntable(['restore', recordingIn(recordings)]);
  expect({ stdout, stderr, status }).toEqual({ stdout: recorded.stdout, stderr: '', status: 0 });
});

it('they have the recorded answers in a replay', () => {
  expect(differences(recorded, replay(recordingIn(recordings)))).toEqual([]);
  expect(differencesFrom(1, recordings, recorded)).toEqual([]);
});
