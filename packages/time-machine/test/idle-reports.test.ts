// Reports of idle time by a replay driver, with a process that only confirms its position.
import { Duplex } from 'node:stream';
import { ReplayDriver, type ReplayProcess } from '@turntable/time-machine';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { buildRunIndex, type RandomStep } from './random-runs.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function process(): ReplayProcess {
  const channel: Duplex = new Duplex({
    read() {},
    write(chunk, _, done) {
      const { id } = JSON.parse(String(chunk)) as { readonly id: number };
      channel.push(`${JSON.stringify({ id, threads: [], memory: 1 })}\n`);
      done();
    },
  });
  return { channel, startMode: 'cold', kill() {}, exited: new Promise(() => {}) };
}

/** Reports for a recording of this length, after opening it and after a seek. */
async function idleReports(tasks: number): Promise<boolean[][]> {
  const reports: boolean[] = [];
  const all = Array.from({ length: tasks }, (): RandomStep => ({ action: 'run', thread: 0, sends: 0 }));
  const driver = new ReplayDriver({
    runIndex: buildRunIndex(all),
    phases: [],
    start: process,
    onIdle: (isLong) => reports.push(isLong),
  });
  const takeReports = (): boolean[] => {
    expect(reports).toEqual([]);
    vi.runAllTimers();
    return reports.splice(0);
  };
  const opened = takeReports();
  await driver.seek({ order: 2, list: 0, statement: 0 });
  const afterSeek = takeReports();
  await driver.close();
  return [opened, afterSeek];
}

test('the driver reports whether the recording is long', async () => {
  expect(await idleReports(20_000)).toEqual([[true], [true]]);
  expect(await idleReports(100)).toEqual([[false], [false]]);
});

test('idle time is reported at once after a distant seek, and after a delay otherwise', async () => {
  const reports: boolean[] = [];
  const all = Array.from({ length: 100 }, (): RandomStep => ({ action: 'run', thread: 0, sends: 0 }));
  const driver = new ReplayDriver({
    runIndex: buildRunIndex(all),
    phases: [],
    start: process,
    onIdle: (isLong) => reports.push(isLong),
  });
  vi.runAllTimers();
  const reportsWithin = async (order: number, milliseconds: number): Promise<number> => {
    await driver.seek({ order, list: 0, statement: 0 });
    reports.splice(0);
    vi.advanceTimersByTime(milliseconds);
    return reports.length;
  };
  expect(await reportsWithin(50, 1)).toBe(1);
  expect(await reportsWithin(51, 100)).toBe(0);
  expect(await reportsWithin(52, 1000)).toBe(1);
  await driver.close();
});
