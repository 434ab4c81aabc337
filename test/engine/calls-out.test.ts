// Host calls are not repeated when a task is re-executed in place, even if later tasks have changed what the calls
// depend on. Each position has the state that it had on the way forward, and the replay ends as recorded.
import './own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Position } from '@turntable/time-machine';
import { afterAll, expect, test, vi } from 'vitest';
import { record } from '../replay/record-and-replay.ts';
import { taskStart, expectSame, openDriver } from './opened-driver.ts';

vi.setConfig({ testTimeout: 120_000 });

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'turntable-calls-out-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Case {
  readonly name: string;
  readonly action: string;
  /** The method of the tasks to re-execute. */
  readonly method: string;
  /** The task that the replay goes back from, counted from the end. */
  readonly from?: number;
  readonly flags?: readonly string[];
  /** Whether going back restarts the process. */
  readonly isRestarted?: boolean;
}

test.for<Case>([
  { name: 'releasing', action: 'dereferences a reference that is released later', method: 'look' },
  { name: 'subscribing', action: 'subscribes to a diagnostics channel of Node', method: 'timer', from: -2 },
  {
    name: 'declaring',
    action: 'declares a device',
    method: 'timer',
    from: -2,
    flags: ['--snapshots', 'end'],
    isRestarted: true,
  },
  {
    name: 'starting',
    action: 'configures an app, spawns and closes',
    method: 'timer',
    flags: ['--snapshots', 'every=1h'],
  },
  { name: 'starting', action: 'starts an app', method: 'timer', isRestarted: true },
])(
  '$name: a task that $action is re-executed with the same state',
  async ({ name, method, from = -1, flags = [], isRestarted = false }) => {
    const place = mkdtempSync(join(scratch, name));
    record(place, [...flags, join(PROGRAMS, `${name}.mjs`)]);
    const replay = await openDriver(place, { comparesStates: true });
    const { driver, runIndex } = replay;
    const tasks = Array.from({ length: runIndex.count }, (_, i) => i + 1).filter(
      (order) => runIndex.task(order).method === method,
    );
    const [first, last] = [tasks[0] as number, tasks.at(from) as number];
    const forward: [Position, unknown][] = [];
    await driver.seek(taskStart(first));
    for (let stop = await driver.stepForward(); stop.position.order < last; stop = await driver.stepForward())
      forward.push([stop.position, await driver.digests()]);
    expect(forward.length).toBeGreaterThan(5);
    await driver.seek(taskStart(last));
    const { restarts } = driver.seekCounts;
    for (const [position, digests] of forward.toReversed()) {
      expect((await driver.seek(position)).position).toEqual(position);
      expect(await driver.digests(), JSON.stringify(position)).toEqual(digests);
    }
    expect(driver.seekCounts.restarts > restarts).toBe(isRestarted);
    expect(driver.seekCounts.inPlace).toBeGreaterThan(0);
    await expectSame(replay);
  },
);
