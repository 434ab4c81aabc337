// Recordings with bare cuts, of which there is nothing but what stands in their traces: whatever is done with recordings is done with them as with others.
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

/** Phases that a thread has begun without a snapshot. */
function bareCutsOf(directory: string, worker: number): number[] {
  return traceEvents(directory, worker).flatMap((event) =>
    event.type === 'scheduler' && event.kind === CUT_POINT_KIND ? [event.value as number] : [],
  );
}

function runCommand(...args: string[]): string {
  const { stdout, stderr, status } = runTurntable(args);
  expect({ stderr, status }, args.join(' ')).toEqual({ stderr: '', status: 0 });
  return stdout;
}

describe('a recording with bare cuts', () => {
  it('has them on all threads alike, and files for snapshots alone', () => {
    const directory = recordingIn(into);
    const bare = bareCutsOf(directory, 0);
    expect(bare.length).toBeGreaterThan(3);
    const snapshots = snapshotPhases(into);
    expect(bare.filter((phase) => snapshots.includes(phase))).toEqual([]);
    for (const worker of [1, 2]) {
      // Those that had begun when the worker was born, or begin when it has ended, are no cuts of its.
      const own = bareCutsOf(directory, worker);
      expect(own).toEqual(bare.filter((phase) => phase >= (own[0] ?? 0) && phase <= (own.at(-1) ?? 0)));
    }
    const segments = openRecording(directory)
      .traces()
      .flatMap(({ phases }) => phases);
    expect(segments.filter((phase) => bare.includes(phase))).toEqual([]);
  });

  it('is replayed the same, from its start and from its snapshots, with their states alone compared', () => {
    const replayResult = replay(recordingIn(into));
    expect(differences(recorded, replayResult)).toEqual([]);
    const snapshots = openRecording(recordingIn(into)).snapshots();
    expect(replayResult.report.cuts.compared).toBe(snapshots.reduce((sum, { workers }) => sum + workers.length, 0));
    for (const phase of snapshotPhases(into).slice(0, 3)) expect(differencesFrom(phase, into, recorded)).toEqual([]);
  });

  it('is inspected, told turn by turn, exported, packed and unpacked as any other', () => {
    const directory = recordingIn(into);
    const bare = bareCutsOf(directory, 0);
    expect(runCommand('inspect', directory)).toMatch(/snapshot \d+: 2 actors/);
    expect(runCommand('inspect', directory, '--trace')).toMatch(new RegExp(`scheduler .*\\bcut ${bare.length}\\b`));
    const snapshotLines = runCommand('turns', directory).match(/snapshot \d+, the main thread/g) ?? [];
    expect(snapshotLines.filter((each) => bare.some((phase) => each.startsWith(`snapshot ${phase},`)))).toEqual([]);
    const { events } = JSON.parse(runCommand('export', directory)) as { events: { kind?: string; value?: unknown }[] };
    expect(events.filter(({ kind }) => kind === CUT_POINT_KIND).map(({ value }) => value)).toEqual(
      expect.arrayContaining(bare),
    );
    expect(JSON.parse(runCommand('export', directory, '--as', 'chrome'))).toHaveProperty('traceEvents');
    const packed = join(testRoot, 'packed.ttr');
    runCommand('pack', directory, '-o', packed);
    const elsewhere = join(testRoot, 'unpacked');
    runCommand('unpack', packed, elsewhere);
    expect(differences(recorded, replay(recordingIn(elsewhere)))).toEqual([]);
    expect(bareCutsOf(recordingIn(elsewhere), 0)).toEqual(bare);
  });

  it('whose process was killed is opened as far as its traces go, with states behind its cuts', async () => {
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
      // It has not ended by itself by then.
      '2000',
    ]);
    const ended = once(child, 'exit');
    const cutsOfAll = (): number[] => [0, 1, 2].map((worker) => bareCutsOf(recordingIn(killed), worker).length);
    // Of a thread that has had to wait for the processor all cuts come at once, and what others need of it is not with them yet: they go on from there, several times.
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
    const [straight, from] = [openDriverOn(indexed, { checkpoints: undefined }), openDriverOn(indexed)];
    await straight.driver.seek(taskStart(last));
    await from.driver.seek(taskStart(last));
    await from.driver.finish();
    await from.driver.seek(taskStart(last));
    expect(await from.driver.digests()).toEqual(await straight.driver.digests());
  });

  it('whose beginning was deleted to make room is gone about in from its first snapshot, with states behind that', async () => {
    const kept = join(testRoot, 'kept');
    // Long enough for a third one, wherever it runs.
    record(kept, ['--snapshots', 'work=20ms', '--keep', 'count=2', PROGRAM, '20']);
    const [first = 0, ...others] = snapshotPhases(kept);
    expect(others.length).toBe(1);
    const indexed = await indexRecording(kept);
    expect([indexed.verdict, indexed.from]).toEqual(['same', first]);
    const phases = indexed.checkpoints?.phases() ?? [];
    expect(phases.every((phase) => phase > first && !others.includes(phase))).toBe(true);
    const from = openDriverOn(indexed);
    await from.driver.seek(taskStart(indexed.runIndex.count));
    await expectSame(from);
  });
});
