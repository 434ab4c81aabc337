// Recordings with cut points, which exist only in the traces: every command works on them as on other recordings.
import '../engine/own-process.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CUT_POINT_KIND, openRecording } from '@turntable/recording';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { taskStart, expectSame } from '../engine/opened-driver.ts';
import { openDriverOn, indexRecording } from '../engine/after-checkpoints.ts';
import {
  differences,
  differencesFrom,
  traceEvents,
  snapshotPhases,
  record,
  recordingIn,
  replay,
  runTurntable,
  type TurntableResult,
} from '../replay/record-and-replay.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

const PROGRAM = fileURLToPath(new URL('../engine/programs/busy.ts', import.meta.url));
const testRoot = mkdtempSync(join(tmpdir(), 'turntable-cuts-'));
const into = join(testRoot, 'recordings');
let recorded: TurntableResult;

beforeAll(() => void (recorded = record(into, ['--snapshots', 'work=20ms', PROGRAM])));
afterAll(() => rmSync(testRoot, { recursive: true, force: true }));

/** Phases that a thread entered without a snapshot. */
function cutPointsOf(directory: string, worker: number): number[] {
  return traceEvents(directory, worker).flatMap((event) =>
    event.type === 'scheduler' && event.kind === CUT_POINT_KIND ? [event.value as number] : [],
  );
}

function runCommand(...args: string[]): string {
  const { stdout, stderr, status } = runTurntable(args);
  expect({ stderr, status }, args.join(' ')).toEqual({ stderr: '', status: 0 });
  return stdout;
}

describe('a recording with cut points', () => {
  it('has the same cut points on all threads and files for snapshots only', () => {
    const directory = recordingIn(into);
    const cutPoints = cutPointsOf(directory, 0);
    expect(cutPoints.length).toBeGreaterThan(3);
    const snapshots = snapshotPhases(into);
    expect(cutPoints.filter((phase) => snapshots.includes(phase))).toEqual([]);
    for (const worker of [1, 2]) {
      // Not those before the worker started or after it ended.
      const own = cutPointsOf(directory, worker);
      expect(own).toEqual(cutPoints.filter((phase) => phase >= (own[0] ?? 0) && phase <= (own.at(-1) ?? 0)));
    }
    const segments = openRecording(directory)
      .traces()
      .flatMap(({ phases }) => phases);
    expect(segments.filter((phase) => cutPoints.includes(phase))).toEqual([]);
  });

  it('replays as recorded from its start and its snapshots, and compares the states of snapshots only', () => {
    const replayResult = replay(recordingIn(into));
    expect(differences(recorded, replayResult)).toEqual([]);
    const snapshots = openRecording(recordingIn(into)).snapshots();
    expect(replayResult.report.cuts.compared).toBe(snapshots.reduce((sum, { workers }) => sum + workers.length, 0));
    for (const phase of snapshotPhases(into).slice(0, 3)) expect(differencesFrom(phase, into, recorded)).toEqual([]);
  });

  it('can be inspected, listed, exported, packed and unpacked', () => {
    const directory = recordingIn(into);
    const cutPoints = cutPointsOf(directory, 0);
    expect(runCommand('inspect', directory)).toMatch(/snapshot \d+: 2 actors/);
    expect(runCommand('inspect', directory, '--trace')).toMatch(
      new RegExp(`scheduler .*\\bcut ${cutPoints.length}\\b`),
    );
    const snapshotLines = runCommand('tasks', directory).match(/snapshot \d+, the main thread/g) ?? [];
    expect(snapshotLines.filter((each) => cutPoints.some((phase) => each.startsWith(`snapshot ${phase},`)))).toEqual(
      [],
    );
    const { events } = JSON.parse(runCommand('export', directory)) as { events: { kind?: string; value?: unknown }[] };
    expect(events.filter(({ kind }) => kind === CUT_POINT_KIND).map(({ value }) => value)).toEqual(
      expect.arrayContaining(cutPoints),
    );
    expect(JSON.parse(runCommand('export', directory, '--as', 'chrome'))).toHaveProperty('traceEvents');
    const packed = join(testRoot, 'packed.ttr');
    runCommand('pack', directory, '-o', packed);
    const elsewhere = join(testRoot, 'unpacked');
    runCommand('unpack', packed, elsewhere);
    expect(differences(recorded, replay(recordingIn(elsewhere)))).toEqual([]);
    expect(cutPointsOf(recordingIn(elsewhere), 0)).toEqual(cutPoints);
  });

  it('of a killed process opens to the end of its traces, with checkpoints at its cut points', async () => {
    const killed = join(testRoot, 'killed');
    const child = spawn(process.execPath, [
      ...FLAGS,
      CLI,
      'record',
      '--recordings',
      killed,
      '--snapshots',
      'work=20ms',
      PROGRAM,
      // Enough rounds to be running still when it is killed.
      '2000',
    ]);
    const ended = once(child, 'exit');
    const cutsOfAll = (): number[] => [0, 1, 2].map((worker) => cutPointsOf(recordingIn(killed), worker).length);
    // Wait for several batches: a delayed thread writes all its cuts at once, and the others must catch up first.
    let maxCuts = 2;
    for (let times = 0; times < 4; times++) {
      await vi.waitFor(() => expect(Math.min(...cutsOfAll())).toBeGreaterThan(maxCuts), { timeout: 60_000 });
      maxCuts = Math.max(...cutsOfAll());
    }
    child.kill('SIGKILL');
    await ended;
    rmSync(join(recordingIn(killed), 'snapshots'), { recursive: true, force: true });
    const indexed = await indexRecording(killed);
    expect(indexed.verdict).toBe('truncated');
    expect(indexed.checkpoints?.phases().length).toBeGreaterThan(2);
    const last = indexed.runIndex.count;
    const [fromStart, fromCheckpoints] = [openDriverOn(indexed, { checkpoints: undefined }), openDriverOn(indexed)];
    await fromStart.driver.seek(taskStart(last));
    await fromCheckpoints.driver.seek(taskStart(last));
    await fromCheckpoints.driver.finish();
    await fromCheckpoints.driver.seek(taskStart(last));
    expect(await fromCheckpoints.driver.digests()).toEqual(await fromStart.driver.digests());
  });

  it('with a deleted beginning opens from its first snapshot, with checkpoints after it', async () => {
    const kept = join(testRoot, 'kept');
    // Long enough for a third snapshot on any machine.
    record(kept, ['--snapshots', 'work=20ms', '--keep', 'count=2', PROGRAM, '20']);
    const [first = 0, ...others] = snapshotPhases(kept);
    expect(others.length).toBe(1);
    const indexed = await indexRecording(kept);
    expect([indexed.verdict, indexed.from]).toEqual(['same', first]);
    const phases = indexed.checkpoints?.phases() ?? [];
    expect(phases.every((phase) => phase > first && !others.includes(phase))).toBe(true);
    const fromCheckpoints = openDriverOn(indexed);
    await fromCheckpoints.driver.seek(taskStart(indexed.runIndex.count));
    await expectSame(fromCheckpoints);
  });
});
