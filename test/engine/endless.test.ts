// Programs that were killed in an endless loop: the loop can be debugged, and no replay runs for ever.
import './own-process.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording, TRACE_SOURCES } from '@turntable/recording';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CLI, FLAGS } from '../../scripts/tested-form.ts';
import { traceEvents, recordingIn, replay, runTurntable } from '../replay/record-and-replay.ts';
import { openDriverOn, indexRecording } from './after-checkpoints.ts';
import { positionsIn, taskStart } from './opened-driver.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-endless-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/**
 * Kills the program once its identity is on disk and it has read the clock, which comes right before the endless loop.
 */
async function recordAndKill(into: string, program: string, worker: number): Promise<void> {
  const args = [...FLAGS, CLI, 'record', '--recordings', into, program];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    await vi.waitFor(
      () => {
        expect(openRecording(recordingIn(into)).manifest.entry).not.toBe(null);
        const events = traceEvents(recordingIn(into), worker);
        // Threads read the clock before they load the program, too.
        const inputs = events.flatMap(({ type }, at) => (type === 'outcome' ? [] : [at]));
        const own = events.slice(inputs[worker === 0 ? 2 : 0] ?? Infinity);
        expect(own).toContainEqual(expect.objectContaining({ type: 'outcome', source: TRACE_SOURCES.date }));
      },
      { timeout: 60_000, interval: 20 },
    );
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

const PROGRAMS = [
  {
    name: 'in a timer of the main thread',
    program: 'endless.mjs',
    worker: 0,
    actual: 'timer 1 fires',
  },
  { name: 'in a turn of an actor', program: 'endless.ts', worker: 1, actual: 'Searcher#1.find' },
];

describe.each(PROGRAMS)('a process that was killed in an endless loop $name', ({ program, worker, actual }) => {
  const into = join(scratch, program);
  beforeAll(() => recordAndKill(into, fileURLToPath(new URL(`programs/${program}`, import.meta.url)), worker));

  test('replays to the end of its trace and lists its turns', () => {
    const { report, status } = replay(into);
    expect({ verdict: report.verdict, missing: report.missingThreads, status }).toEqual({
      verdict: 'truncated',
      missing: [],
      status: 0,
    });
    const { stdout, stderr, status: ended } = runTurntable(['tasks', into]);
    expect({ stderr, ended }).toEqual({ stderr: '', ended: 0 });
    expect(stdout).toContain(actual);
    expect(stdout).toMatch(/^\d+ tasks on \d threads?; the recording ends there\n/);
  });

  test('pauses within the loop and after it with the same state on every route', async () => {
    const indexed = await indexRecording(into);
    const { runIndex, verdict } = indexed;
    expect(verdict).toBe('truncated');
    let order = runIndex.count;
    while (runIndex.task(order).worker !== worker) order--;
    const within = { order, list: 20_000, statement: 1 };
    const end = taskStart(runIndex.count + 1);
    const [first, second] = [openDriverOn(indexed), openDriverOn(indexed)];

    await first.driver.seek(end);
    const digests = await first.driver.digests();
    expect((await first.driver.seek(within)).position).toEqual(within);
    const locals = await first.driver.locals(0);
    expect(locals.map(({ name }) => name)).toEqual(expect.arrayContaining(['place', 'wanted']));

    expect((await second.driver.seek(within)).position).toEqual(within);
    expect(await second.driver.locals(0)).toEqual(locals);
    const [traced] = await second.driver.traceTasks(order, order);
    expect(traced?.isTruncated).toBe(false);
    expect(traced?.position(traced.count - 1).list).toBeGreaterThan(within.list);
    await second.driver.seek(end);
    expect(await second.driver.digests()).toEqual(digests);
    // The replay ends within the loop, whatever the target.
    const far = { order, list: 10_000_000, statement: 1 };
    expect((await second.driver.seek(far)).position.order).toBeGreaterThan(order);
  });
});

const STUCK = [
  { name: 'in a timer of the main thread', program: 'matching.mjs', worker: 0, lines: [4, 5] },
  { name: 'in a turn of an actor', program: 'matching.ts', worker: 1, lines: [8, 9] },
];

test.each(STUCK)(
  'a program that hangs in native code $name can be debugged up to that call',
  async ({ program, worker, lines }) => {
    const into = join(scratch, program);
    await recordAndKill(into, fileURLToPath(new URL(`programs/${program}`, import.meta.url)), worker);
    const indexed = await indexRecording(into);
    const { runIndex, verdict, hungThreads } = indexed;
    expect({ verdict, hungThreads }).toEqual({ verdict: 'truncated', hungThreads: [{ worker, epoch: 0, tasks: 0 }] });
    let order = runIndex.count;
    while (runIndex.task(order).worker !== worker) order--;
    const { driver } = openDriverOn(indexed);
    const [last] = await driver.traceTasks(order, order);
    // It reads the clock in its second statement and hangs there.
    expect(last && positionsIn(last).map((_, i) => last.location(i).line)).toEqual(lines);
    const within = { order, list: 1, statement: 2 };
    expect((await driver.seek(within)).position).toEqual(within);
    const end = taskStart(runIndex.count + 1);
    expect((await driver.seek(end)).position).toEqual(end);
    // The cached run index knows the hung thread and does not wait for it.
    const began = performance.now();
    expect((await indexRecording(into)).hungThreads).toEqual(hungThreads);
    expect(performance.now() - began).toBeLessThan(5000);
  },
);

test('replay ends for an actor that keeps sending itself messages', async () => {
  const into = join(scratch, 'ticking');
  await recordAndKill(into, fileURLToPath(new URL('programs/ticking.ts', import.meta.url)), 1);
  const { report } = replay(into);
  expect({ verdict: report.verdict, missing: report.missingThreads }).toEqual({ verdict: 'truncated', missing: [] });
  expect((await indexRecording(into)).verdict).toBe('truncated');
});
