// A process that has begun before anybody knew what for is as any other once it is told: with whichever snapshot it is to begin, and whatever it is to look out for.
import './own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BreakpointHit } from '@turntable/time-machine';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import type { StandbyProcess } from '../../packages/replayer/src/replay-process/standby-process.ts';
import type { ReplayRun } from '../../packages/replayer/src/replay/replay-run.ts';
import { record, recordingIn } from '../replay/record-and-replay.ts';
import { createReplayDriver, createStandbyProcess, buildRunIndex } from './replay-drivers.ts';
import { taskStart, expectSame, type OpenedDriver } from './opened-driver.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const room = mkdtempSync(join(tmpdir(), 'turntable-ready-'));
afterAll(() => rmSync(room, { recursive: true, force: true }));

beforeAll(() => void record(room, [fileURLToPath(new URL('programs/selling-on.ts', import.meta.url))]));

interface Indexed extends OpenedDriver {
  readonly ready: StandbyProcess;
  /** How its processes have begun. */
  readonly startModes: string[];
}

async function opened(place = room): Promise<Indexed> {
  const runs: ReplayRun[] = [];
  const startModes: string[] = [];
  const indexed = await buildRunIndex(recordingIn(place), {
    phase: undefined,
    isForced: false,
    isFresh: false,
    debug: true,
  });
  const ready = createStandbyProcess(indexed);
  const callbacks = {
    onStart: ({ startMode }: { readonly startMode: string }) => startModes.push(startMode),
    onExit: (run: ReplayRun) => runs.push(run),
  };
  const driver = createReplayDriver(indexed.runIndex, { ...indexed, ...callbacks }, ready);
  onTestFinished(() => driver.close());
  return { driver, runIndex: indexed.runIndex, runs, ready, startModes };
}

/** The last `add` of each phase that starts with a snapshot. */
function addsOf({ runIndex }: OpenedDriver): number[] {
  const last = new Map<number, number>();
  for (let order = 1; order <= runIndex.count; order++) {
    const { method, phase } = runIndex.task(order);
    if (method === 'add' && phase > 0) last.set(phase, order);
  }
  return [...last.values()];
}

/** What is seen there; then its process is gone, and the next one begins. */
async function seenAt({ driver }: OpenedDriver, order: number): Promise<unknown> {
  const stop = await driver.seek({ order, list: 1, statement: 2 });
  const locals = (await driver.locals(0)).map(({ name, value }) => [name, value?.preview]);
  const { value } = await driver.evaluate('this.sum');
  const actors = (await driver.actors()).map(
    ({ worker, name, waitingCount: waiting }) => `${worker} ${name} ${waiting}`,
  );
  await driver.finish();
  return { stop, locals, sum: value?.preview, actors };
}

test('it stands where any other does, with whichever snapshot it begins, and the run comes out as recorded', async () => {
  const first = await opened();
  const indexed = await opened();
  const orders = addsOf(indexed);
  expect(orders.length).toBe(3);
  for (const order of orders) {
    const seen = await seenAt(first, order);
    indexed.ready.prepare();
    expect(await seenAt(indexed, order)).toEqual(seen);
    expect(indexed.startModes.at(-1)).toBe('standby');
  }
  indexed.ready.prepare();
  await indexed.driver.seek(taskStart(orders[1] as number));
  expect(indexed.startModes.at(-1)).toBe('standby');
  await expectSame(indexed);
});

test('it comes by what it is to look out for', async () => {
  const indexed = await opened();
  const [from = 0] = addsOf(indexed);
  const hits = async (): Promise<readonly BreakpointHit[]> => {
    const search = indexed.driver.searchBreakpoints(
      [{ file: 'clerks.ts', line: 8, logExpression: '`${before} + ${amount}`' }, { kind: 'sent' }],
      taskStart(from),
    );
    const found = await search.runTo(taskStart(indexed.runIndex.count + 1));
    search.close();
    return found;
  };
  const first = await hits();
  expect(first.length).toBeGreaterThan(4);
  indexed.ready.prepare();
  expect(await hits()).toEqual(first);
  expect(indexed.startModes).toEqual(['cold', 'standby']);
});

test('files that only later snapshots have are loaded when they were, and functions of one that was loaded twice are told apart', async () => {
  const place = mkdtempSync(join(room, 'lazily-'));
  record(place, [fileURLToPath(new URL('programs/lazily.mjs', import.meta.url))]);
  const indexed = await opened(place);
  const { driver, ready, runIndex } = indexed;
  const end = taskStart(runIndex.count);
  const straight = await opened(place);
  await straight.driver.seek(end);
  const digests = await straight.driver.digests();
  const phases = new Set<number>();
  for (let order = 1; order <= runIndex.count; order++) {
    const { phase } = runIndex.task(order);
    if (phase === 0 || phases.has(phase)) continue;
    phases.add(phase);
    // The first process looks into all snapshots, those behind it into the last.
    for (const _ of ['first', 'behind']) {
      ready.prepare();
      await driver.seek(taskStart(order));
      expect(indexed.startModes.at(-1)).toBe('standby');
      // Files are loaded on the way, and functions made.
      await driver.seek(end);
      expect(await driver.digests()).toEqual(digests);
      await expectSame(indexed);
    }
  }
  expect(phases.size).toBe(3);
});
