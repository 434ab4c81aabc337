// Recordings that begin later than their programs, and end earlier: by the program's own word, or by a signal. And those whose beginning was deleted.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openRecording } from '@turntable/recording';
import type { ReplayReport } from '../../packages/replayer/src/replay/report.ts';
import { environment, FIXTURES, recordingIn, scratch, turntable, type Ended } from './processes.ts';

const directory = scratch();

interface Again {
  readonly output: string;
  readonly report: ReplayReport;
}

function again(place: string, ...args: readonly string[]): Again {
  const { stdout, stderr } = turntable(FIXTURES, ['replay', place, '--json', ...args]);
  return { output: stderr, report: JSON.parse(stdout) as ReplayReport };
}

/** A run in which recording waits to be told. */
function recordable(place: string, args: readonly string[], trace = 'later'): Ended {
  const { stdout, stderr, status } = turntable(FIXTURES, ['run', '--recordings', place, ...args], {
    TURNTABLE_TRACE: trace,
  });
  return { stdout, stderr, status };
}

describe('a program that says when', () => {
  const place = join(directory, 'itself');
  let ran: Ended;
  beforeAll(() => {
    ran = recordable(place, ['later.ts', 'twice']);
  });

  test('is recorded from then on to when it says so again, with all its threads', () => {
    expect(ran).toMatchObject({ status: 0, stderr: '' });
    const { output, report } = again(place);
    expect(report).toMatchObject({ verdict: 'same', from: 1, isStopped: true, divergence: null });
    // That with which it was ended, of three threads.
    expect(report.cuts).toEqual({ compared: 3, different: [] });
    const lines = output.split('\n');
    expect(lines[0]).toMatch(/^recorded number \d+$/);
    expect(ran.stdout.split('\n').slice(0, 2)).toEqual(lines.slice(0, 2));
  });

  test('and once more, in the same recording', () => {
    const { output, report } = again(place, '--from', '3');
    expect(report).toMatchObject({ verdict: 'same', from: 3, divergence: null });
    expect(ran.stdout.endsWith(output)).toBe(true);
    expect(output).toMatch(/^again true\nworked again \d+\nover \d+\n$/);
  });

  test('has recorded nothing of what was in between', () => {
    const recording = openRecording(recordingIn(place));
    expect(recording.snapshots().map(({ phase }) => phase)).toEqual([1, 2, 3]);
    expect(recording.traces().map(({ phases }) => phases)).toEqual([
      [1, 2, 3],
      [1, 2, 3],
      [1, 2, 3],
    ]);
    expect(turntable(FIXTURES, ['ls', place]).stdout).toMatch(
      /later\.ts {2}3 snapshots {2}traces from 1 on {2}ended\n$/,
    );
  });
});

describe('a replay goes no further than', () => {
  const place = join(directory, 'until');
  const alone = join(directory, 'alone');
  beforeAll(() => {
    recordable(place, ['later.ts']);
    recordable(alone, ['later.ts', 'alone']);
  });
  const text = (until: string, place: string): string =>
    turntable(FIXTURES, ['replay', place, '--console', 'mute', '--until', until]).stderr;
  const state = String.raw`state of (the main thread|worker \d): [0-9a-f]{64}`;

  test('a snapshot, whose states it shows', () => {
    expect(text('2', place)).toMatch(
      new RegExp(
        `^same until snapshot 2, in .*; 3 states compared at cuts, all equal\n {2}event \\d+ of the main thread, turn \\d+\n( {2}${state}\n){3}$`,
      ),
    );
    expect(text('9', place)).toContain('it has no snapshot 9 to go on until');
    expect(text('1', place)).toContain('it cannot go from snapshot 1 until 1');
  });

  test('a turn, after which the same is there each time', () => {
    const first = text('turn=20,worker=1', place);
    expect(first).toMatch(
      new RegExp(
        `^same until turn 20 of worker 1, .*\n {2}event \\d+ of worker 1, turn 20, Counter#\\d+\\.add\n {2}${state}\n$`,
      ),
    );
    const stateIn = (said: string): string | undefined => /[0-9a-f]{64}/.exec(said)?.[0];
    expect(stateIn(text('turn=20,worker=1', place))).toBe(stateIn(first));
    expect(stateIn(text('turn=21,worker=1', place))).not.toBe(stateIn(first));
  });

  test('a turn of an actor, an event, a time; or it is over before', () => {
    expect(text('actor=Counter#2', alone)).toMatch(/^same until a turn of Counter#2, .*\n.*, Counter#2\.add\n/);
    expect(text('event=30', alone)).toMatch(
      /^same until event 30 of the main thread, .*\n {2}event 30 of the main thread, turn/,
    );
    expect(text('time=+10ms', alone)).toMatch(
      /^same until 20\d\d-.*Z, .*\n {2}event \d+ of the main thread, turn \d+\n/,
    );
    expect(text('error', alone)).toMatch(/\nit was over before the first error that nobody catches\n$/);
  });
});

test('a program that is never told to be recorded leaves nothing on the disk', () => {
  const place = join(directory, 'never');
  expect(recordable(place, ['ending.ts', 'well', 'actors'])).toMatchObject({ status: 0, stderr: '' });
  expect(existsSync(place) ? readdirSync(place) : []).toEqual([]);
});

test('a program that is recorded from its start cannot end that', () => {
  const { stderr } = recordable(join(directory, 'start'), ['later.ts', 'alone'], '1');
  expect(stderr).toContain("to begin and to end at other times, start it with the setting trace: 'later'");
});

test('a setting that says nothing is refused', () => {
  const { status, stderr } = recordable(join(directory, 'wrong'), ['later.ts'], 'later=SIGNOTHING');
  expect(status).toBe(2);
  expect(stderr).toMatch(/^turntable: TURNTABLE_TRACE is "later=SIGNOTHING"; write 1, later, or later=SIGUSR2 .*\n$/);
});

describe('a signal', () => {
  /** Lines it has printed so far. */
  function started(place: string): { readonly child: ChildProcess; readonly lines: () => string[] } {
    const child = spawn(
      process.execPath,
      ['-C', 'turntable-source', '--import', import.meta.resolve('turntable/register'), 'recordable.ts'],
      {
        cwd: FIXTURES,
        env: { ...environment, TURNTABLE_RECORDINGS: place, TURNTABLE_TRACE: 'later=SIGUSR2' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    let printed = '';
    child.stdout?.setEncoding('utf8').on('data', (text) => (printed += String(text)));
    return { child, lines: () => printed.split('\n').slice(0, -1) };
  }
  const soon = { timeout: 30_000, interval: 5 };
  const snapshots = (place: string): number => {
    const [name] = existsSync(place) ? readdirSync(place) : [];
    const those = join(place, name ?? '', 'snapshots');
    // What is made of it first are its traces.
    return existsSync(those) ? readdirSync(those).filter((each) => each.endsWith('.tts')).length : 0;
  };

  test('begins a recording, and kill -9 ends it', async () => {
    const place = join(directory, 'killed');
    const { child, lines } = started(place);
    await vi.waitUntil(() => lines().length > 20, soon);
    expect(existsSync(place)).toBe(false);
    child.kill('SIGUSR2');
    await vi.waitUntil(() => snapshots(place) === 1, soon);
    const sofar = lines().length;
    await vi.waitUntil(() => lines().length > sofar + 300, soon);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { output, report } = again(place);
    expect(report).toMatchObject({ verdict: 'truncated', from: 1, divergence: null });
    const replayed = output.split('\n').slice(0, -1);
    const first = lines().indexOf(replayed[0] as string);
    expect(first).toBeGreaterThan(15);
    expect(replayed.length).toBeGreaterThan(20);
    const both = Math.min(replayed.length, lines().length - first);
    expect(replayed.slice(0, both)).toEqual(lines().slice(first, first + both));
  });

  test('ends it, too', async () => {
    const place = join(directory, 'ended');
    const { child, lines } = started(place);
    await vi.waitUntil(() => lines().length > 5, soon);
    child.kill('SIGUSR2');
    await vi.waitUntil(() => snapshots(place) === 1, soon);
    child.kill('SIGUSR2');
    const manifest = (): { why: string | null } =>
      JSON.parse(readFileSync(join(recordingIn(place), 'manifest.json'), 'utf8')) as { why: string | null };
    await vi.waitUntil(() => snapshots(place) === 2 && manifest().why === 'stopped', soon);
    const sofar = lines().length;
    await vi.waitUntil(() => lines().length > sofar + 20, soon);
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { report } = again(place);
    expect(report).toMatchObject({ verdict: 'same', from: 1, isStopped: true, cuts: { compared: 1, different: [] } });
  });
});

test('of a program that has failed the last stretch is there, and begins with what its machine was', () => {
  const place = join(directory, 'ring');
  const flags = ['--recordings', place, '--keep', 'failed,count=2', 'ring.ts'];
  const { status, stdout } = turntable(FIXTURES, ['record', ...flags]);
  expect(status).toBe(1);
  const recording = openRecording(recordingIn(place));
  expect(recording.snapshots().map(({ phase }) => phase)).toEqual([5, 6]);
  expect(recording.traces().map(({ phases }) => phases)).toEqual([
    [5, 6],
    [5, 6],
  ]);
  for (const [from, args] of [
    [5, []],
    [6, ['--from', '6']],
  ] as const) {
    const { output, report } = again(place, ...args, '--until', 'error');
    expect(report).toMatchObject({
      from,
      verdict: 'same',
      reached: { error: expect.stringContaining('nobody catches this') as string },
    });
    expect(output).toBe(stdout);
  }
});
