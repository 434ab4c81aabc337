// Recordings that start after their program and end before it, by a call of the program or a signal; and recordings
// whose beginning was deleted.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FLAGS, REGISTER } from '../../scripts/tested-form.ts';
import { openRecording } from '@turntable/recording';
import type { ReplayReport } from '../../packages/replayer/src/replay/replay-report.ts';
import {
  environment,
  FIXTURES,
  recordingIn,
  createScratchDirectory,
  runTurntable,
  type CliResult,
} from './processes.ts';

const directory = createScratchDirectory();

interface ReplayResult {
  readonly output: string;
  readonly report: ReplayReport;
}

function replay(recordings: string, ...args: readonly string[]): ReplayResult {
  const { stdout, stderr } = runTurntable(FIXTURES, ['replay', recordings, '--json', ...args]);
  return { output: stderr, report: JSON.parse(stdout) as ReplayReport };
}

/** Runs a program that starts its recording later. */
function runRecordable(recordings: string, args: readonly string[], trace = 'later'): CliResult {
  const { stdout, stderr, status } = runTurntable(FIXTURES, ['run', '--recordings', recordings, ...args], {
    TURNTABLE_TRACE: trace,
  });
  return { stdout, stderr, status };
}

describe('a program that starts and stops its recording', () => {
  const recordings = join(directory, 'itself');
  let ran: CliResult;
  beforeAll(() => {
    ran = runRecordable(recordings, ['later.ts', 'twice']);
  });

  test('is recorded in between, with all its threads', () => {
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    const { output, report } = replay(recordings);
    expect(report).toMatchObject({ verdict: 'same', from: 1, wasRecordingStopped: true, divergence: null });
    // The states of the last snapshot, of three threads.
    expect(report.cuts).toEqual({ compared: 3, different: [] });
    const lines = output.split('\n');
    expect(lines[0]).toMatch(/^recorded number \d+$/);
    expect(ran.stdout.split('\n').slice(0, 2)).toEqual(lines.slice(0, 2));
  });

  test('is recorded again later, into the same recording', () => {
    const { output, report } = replay(recordings, '--from', '3');
    expect(report).toMatchObject({ verdict: 'same', from: 3, divergence: null });
    expect(ran.stdout.endsWith(output)).toBe(true);
    expect(output).toMatch(/^again true\nworked again \d+\nover \d+\n$/);
  });

  test('has no traces from between the two', () => {
    const recording = openRecording(recordingIn(recordings));
    expect(recording.snapshots().map(({ phase }) => phase)).toEqual([1, 2, 3]);
    expect(recording.traces().map(({ phases }) => phases)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(runTurntable(FIXTURES, ['ls', recordings]).stdout).toMatch(
      /later\.ts {2}3 snapshots {2}traces from 1 on {2}ended\n$/,
    );
  });
});

describe('a replay stops at', () => {
  const recordings = join(directory, 'until');
  const alone = join(directory, 'alone');
  beforeAll(() => {
    runRecordable(recordings, ['later.ts']);
    runRecordable(alone, ['later.ts', 'alone']);
  });
  const text = (until: string, recordings: string): string =>
    runTurntable(FIXTURES, ['replay', recordings, '--console', 'mute', '--until', until]).stderr;
  const state = String.raw`state of (the main thread|worker \d): [0-9a-f]{64}`;

  test('a snapshot and shows its states', () => {
    expect(text('2', recordings)).toMatch(
      new RegExp(
        `^same until snapshot 2, in .*; 3 states compared at cuts, all equal\n {2}event \\d+ of the main thread, turn \\d+\n( {2}${state}\n){3}$`,
      ),
    );
    expect(text('9', recordings)).toContain('it has no snapshot 9 to replay to');
    expect(text('1', recordings)).toContain('it cannot be replayed from snapshot 1 to snapshot 1');
  });

  test('a turn, with the same state each time', () => {
    const first = text('turn=20,worker=1', recordings);
    expect(first).toMatch(
      new RegExp(
        `^same until turn 20 of worker 1, .*\n {2}event \\d+ of worker 1, turn 20, Counter#\\d+\\.add\n {2}${state}\n$`,
      ),
    );
    const stateIn = (text: string): string | undefined => /[0-9a-f]{64}/.exec(text)?.[0];
    expect(stateIn(text('turn=20,worker=1', recordings))).toBe(stateIn(first));
    expect(stateIn(text('turn=21,worker=1', recordings))).not.toBe(stateIn(first));
  });

  test('a turn of an actor, an event, a time, or at its end if there is no such point', () => {
    expect(text('actor=Counter#2', alone)).toMatch(/^same until a turn of Counter#2, .*\n.*, Counter#2\.add\n/);
    expect(text('event=30', alone)).toMatch(
      /^same until event 30 of the main thread, .*\n {2}event 30 of the main thread, turn/,
    );
    expect(text('time=+10ms', alone)).toMatch(
      /^same until 20\d\d-.*Z, .*\n {2}event \d+ of the main thread, turn \d+\n/,
    );
    expect(text('error', alone)).toMatch(/\nthe run ended before the first uncaught error\n$/);
  });
});

test('a program that never starts its recording leaves nothing on the disk', () => {
  const recordings = join(directory, 'never');
  expect(runRecordable(recordings, ['ending.ts', 'well', 'actors'])).toMatchObject({ status: 0, stderr: '' });
  expect(existsSync(recordings) ? readdirSync(recordings) : []).toEqual([]);
});

test('a program that is recorded from its start cannot stop that', () => {
  const { stderr } = runRecordable(join(directory, 'start'), ['later.ts', 'alone'], '1');
  expect(stderr).toContain("to start and stop recording while it runs, start it with the setting trace: 'later'");
});

test('an invalid setting is refused', () => {
  const { status, stderr } = runRecordable(join(directory, 'wrong'), ['later.ts'], 'later=SIGNOTHING');
  expect(status).toBe(2);
  expect(stderr).toMatch(
    /^turntable: TURNTABLE_TRACE must be 1, 0, later, or later=SIGUSR2, not "later=SIGNOTHING" .*\n$/,
  );
});

describe('a signal', () => {
  /** Starts the program; `lines` returns its output so far. */
  function started(recordings: string): { readonly child: ChildProcess; readonly lines: () => string[] } {
    const child = spawn(process.execPath, [...FLAGS, '--import', REGISTER, 'recordable.ts'], {
      cwd: FIXTURES,
      env: { ...environment, TURNTABLE_RECORDINGS: recordings, TURNTABLE_TRACE: 'later=SIGUSR2' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => (printed += String(text)));
    return { child, lines: () => printed.split('\n').slice(0, -1) };
  }
  const soon = { timeout: 30_000, interval: 5 };
  const snapshots = (recordings: string): number => {
    const [name] = existsSync(recordings) ? readdirSync(recordings) : [];
    const snapshotFolder = join(recordings, name ?? '', 'snapshots');
    // Its traces are created first.
    return existsSync(snapshotFolder) ? readdirSync(snapshotFolder).filter((each) => each.endsWith('.tts')).length : 0;
  };

  test('starts a recording, and kill -9 ends it', async () => {
    const recordings = join(directory, 'killed');
    const { child, lines } = started(recordings);
    await vi.waitUntil(() => lines().length > 20, soon);
    expect(existsSync(recordings)).toBe(false);
    child.kill('SIGUSR2');
    await vi.waitUntil(() => snapshots(recordings) === 1, soon);
    const lineCount = lines().length;
    await vi.waitUntil(() => lines().length > lineCount + 300, soon);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { output, report } = replay(recordings);
    expect(report).toMatchObject({ verdict: 'truncated', from: 1, divergence: null });
    const replayed = output.split('\n').slice(0, -1);
    const first = lines().indexOf(replayed[0] as string);
    expect(first).toBeGreaterThan(15);
    expect(replayed.length).toBeGreaterThan(20);
    const commonLines = Math.min(replayed.length, lines().length - first);
    expect(replayed.slice(0, commonLines)).toEqual(lines().slice(first, first + commonLines));
  });

  test('stops a recording', async () => {
    const recordings = join(directory, 'ended');
    const { child, lines } = started(recordings);
    await vi.waitUntil(() => lines().length > 5, soon);
    child.kill('SIGUSR2');
    await vi.waitUntil(() => snapshots(recordings) === 1, soon);
    child.kill('SIGUSR2');
    const manifest = (): { endReason: string | null } =>
      JSON.parse(readFileSync(join(recordingIn(recordings), 'manifest.json'), 'utf8')) as { endReason: string | null };
    await vi.waitUntil(() => snapshots(recordings) === 2 && manifest().endReason === 'stopped', soon);
    const lineCount = lines().length;
    await vi.waitUntil(() => lines().length > lineCount + 20, soon);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { report } = replay(recordings);
    expect(report).toMatchObject({
      verdict: 'same',
      from: 1,
      wasRecordingStopped: true,
      cuts: { compared: 1, different: [] },
    });
  });
});

test('a failed program keeps its last phases, which replay with the recorded host state', () => {
  const recordings = join(directory, 'ring');
  const flags = ['--recordings', recordings, '--keep', 'failed,count=2', 'ring.ts'];
  const { status, stdout } = runTurntable(FIXTURES, ['record', ...flags]);
  expect(status).toBe(1);
  const recording = openRecording(recordingIn(recordings));
  expect(recording.snapshots().map(({ phase }) => phase)).toEqual([5, 6]);
  expect(recording.traces().map(({ phases }) => phases)).toEqual([
    [5, 6],
    [5, 6],
  ]);
  for (const [from, args] of [
    [5, []],
    [6, ['--from', '6']],
  ] as const) {
    const { output, report } = replay(recordings, ...args, '--until', 'error');
    expect(report).toMatchObject({
      from,
      verdict: 'same',
      reached: { error: expect.stringContaining('uncaught error') as string },
    });
    expect(output).toBe(stdout);
  }
});
