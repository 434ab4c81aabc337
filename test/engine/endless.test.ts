// Programs that were killed because they did not come to an end: what they were at is what somebody wants to see, and no run again goes on for ever for that.
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
import { taskStart } from './opened-driver.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const room = mkdtempSync(join(tmpdir(), 'turntable-endless-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

/** Killed when it has asked what time it is, which comes before it goes on for ever, and it is on the disk which program it is. */
async function killed(into: string, program: string, worker: number): Promise<void> {
  const args = [...FLAGS, CLI, 'record', '--recordings', into, program];
  const child = spawn(process.execPath, args, { stdio: 'ignore' });
  const ended = once(child, 'exit');
  try {
    await vi.waitFor(
      () => {
        expect(openRecording(recordingIn(into)).manifest.entry).not.toBe(null);
        const events = traceEvents(recordingIn(into), worker);
        // Threads ask before anything of the program is there, too.
        const come = events.flatMap(({ type: what }, at) => (what === 'outcome' ? [] : [at]));
        const own = events.slice(come[worker === 0 ? 2 : 0] ?? Infinity);
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
    actual: 'timer 1 calls the main program',
  },
  { name: 'in a turn of an actor', program: 'endless.ts', worker: 1, actual: 'Searcher#1.find' },
];

describe.each(PROGRAMS)('a process that was killed in an endless loop $name', ({ program, worker, actual }) => {
  const into = join(room, program);
  beforeAll(() => killed(into, fileURLToPath(new URL(`programs/${program}`, import.meta.url)), worker));

  test('is run again as far as it is known, and told turn by turn', () => {
    const { report, status } = replay(into);
    expect({ verdict: report.verdict, missing: report.missingThreads, status }).toEqual({
      verdict: 'truncated',
      missing: [],
      status: 0,
    });
    const { stdout, stderr, status: ended } = runTurntable(['turns', into]);
    expect({ stderr, ended }).toEqual({ stderr: '', ended: 0 });
    expect(stdout).toContain(actual);
    expect(stdout).toMatch(/the recording ends there\n$/);
  });

  test('is gone about in, in the midst of the loop and behind it, on all ways alike', async () => {
    const indexed = await indexRecording(into);
    const { runIndex, verdict } = indexed;
    expect(verdict).toBe('truncated');
    let order = runIndex.count;
    while (runIndex.task(order).worker !== worker) order--;
    const within = { order, list: 20_000, statement: 1 };
    const end = taskStart(runIndex.count + 1);
    const [one, other] = [openDriverOn(indexed), openDriverOn(indexed)];

    await one.driver.seek(end);
    const digests = await one.driver.digests();
    expect((await one.driver.seek(within)).position).toEqual(within);
    const locals = await one.driver.locals(0);
    expect(locals.map(({ name }) => name)).toEqual(expect.arrayContaining(['place', 'wanted']));

    expect((await other.driver.seek(within)).position).toEqual(within);
    expect(await other.driver.locals(0)).toEqual(locals);
    const [traced] = await other.driver.traceTasks(order, order);
    expect(traced?.isTruncated).toBe(true);
    await other.driver.seek(end);
    expect(await other.driver.digests()).toEqual(digests);
    // So far and no further.
    const far = { order, list: 10_000_000, statement: 1 };
    expect((await other.driver.seek(far)).position.order).toBeGreaterThan(order);
  });
});

const STUCK = [
  { name: 'in a timer of the main thread', program: 'matching.mjs', worker: 0, lines: [4, 5] },
  { name: 'in a turn of an actor', program: 'matching.ts', worker: 1, lines: [8, 9] },
];

test.each(STUCK)(
  'a program that does not come back from native code $name is gone about in up to there',
  async ({ program, worker, lines }) => {
    const into = join(room, program);
    await killed(into, fileURLToPath(new URL(`programs/${program}`, import.meta.url)), worker);
    const indexed = await indexRecording(into);
    const { runIndex, verdict, hungThreads } = indexed;
    expect({ verdict, hungThreads }).toEqual({ verdict: 'truncated', hungThreads: [{ worker, epoch: 0, tasks: 0 }] });
    let order = runIndex.count;
    while (runIndex.task(order).worker !== worker) order--;
    const { driver } = openDriverOn(indexed);
    const [last] = await driver.traceTasks(order, order);
    // It has asked what time it is in its second statement, and is in that.
    expect(last?.locations.map(({ line }) => line)).toEqual(lines);
    const within = { order, list: 1, statement: 2 };
    expect((await driver.seek(within)).position).toEqual(within);
    const end = taskStart(runIndex.count + 1);
    expect((await driver.seek(end)).position).toEqual(end);
    // It is known from then on.
    const began = performance.now();
    expect((await indexRecording(into)).hungThreads).toEqual(hungThreads);
    expect(performance.now() - began).toBeLessThan(5000);
  },
);

test('an actor that goes on sending itself messages comes to an end there, too', async () => {
  const into = join(room, 'ticking');
  await killed(into, fileURLToPath(new URL('programs/ticking.ts', import.meta.url)), 1);
  const { report } = replay(into);
  expect({ verdict: report.verdict, missing: report.missingThreads }).toEqual({ verdict: 'truncated', missing: [] });
  expect((await indexRecording(into)).verdict).toBe('truncated');
});
