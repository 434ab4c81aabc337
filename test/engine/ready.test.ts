// A standby process, started before its task is known, behaves like any other replay process once it is assigned: from
// any snapshot and with any breakpoints.
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

const scratch = mkdtempSync(join(tmpdir(), 'turntable-ready-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

beforeAll(() => void record(scratch, [fileURLToPath(new URL('programs/selling-on.ts', import.meta.url))]));

interface Indexed extends OpenedDriver {
  readonly ready: StandbyProcess;
  /** How each of its processes started. */
  readonly startModes: string[];
}

async function opened(place = scratch): Promise<Indexed> {
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

/** The state seen at a task. Ends the process, so that the next seek starts a new one. */
async function stateAt({ driver }: OpenedDriver, order: number): Promise<unknown> {
  const stop = await driver.seek({ order, list: 1, statement: 2 });
  const locals = (await driver.locals(0)).map(({ name, value }) => [name, value?.preview]);
  const { value } = await driver.evaluate('this.sum');
  const actors = (await driver.actors()).map(({ worker, name, waitingCount }) => `${worker} ${name} ${waitingCount}`);
  await driver.finish();
  return { stop, locals, sum: value?.preview, actors };
}

test('a standby process reaches the same states from any snapshot and the run ends as recorded', async () => {
  const first = await opened();
  const indexed = await opened();
  const orders = addsOf(indexed);
  expect(orders.length).toBe(3);
  for (const order of orders) {
    const expected = await stateAt(first, order);
    indexed.ready.prepare();
    expect(await stateAt(indexed, order)).toEqual(expected);
    expect(indexed.startModes.at(-1)).toBe('standby');
  }
  indexed.ready.prepare();
  await indexed.driver.seek(taskStart(orders[1] as number));
  expect(indexed.startModes.at(-1)).toBe('standby');
  await expectSame(indexed);
});

test('a standby process reports breakpoint hits', async () => {
  const indexed = await opened();
  const [from = 0] = addsOf(indexed);
  const hits = async (): Promise<readonly BreakpointHit[]> => {
    const search = indexed.driver.searchBreakpoints(
      [{ file: 'clerks.ts', line: 8, logExpression: '`${before} + ${amount}`' }, { kind: 'send' }],
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

test('loads files that only later snapshots contain, and tells apart the functions of a file loaded twice', async () => {
  const place = mkdtempSync(join(scratch, 'lazily-'));
  record(place, [fileURLToPath(new URL('programs/lazily.mjs', import.meta.url))]);
  const indexed = await opened(place);
  const { driver, ready, runIndex } = indexed;
  const end = taskStart(runIndex.count);
  const fromStart = await opened(place);
  await fromStart.driver.seek(end);
  const digests = await fromStart.driver.digests();
  const phases = new Set<number>();
  for (let order = 1; order <= runIndex.count; order++) {
    const { phase } = runIndex.task(order);
    if (phase === 0 || phases.has(phase)) continue;
    phases.add(phase);
    // The first process reads all snapshots, the second one only the last.
    for (const _ of ['first', 'second']) {
      ready.prepare();
      await driver.seek(taskStart(order));
      expect(indexed.startModes.at(-1)).toBe('standby');
      // On the way, the program loads files and creates functions.
      await driver.seek(end);
      expect(await driver.digests()).toEqual(digests);
      await expectSame(indexed);
    }
  }
  expect(phases.size).toBe(3);
});
