// Permissions of replay processes: they may only read their own inputs, on every thread, even if an expression
// bypasses the objects that the program sees.
import './own-process.ts';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording } from '@turntable/recording';
import type { Position, ReplayDriver } from '@turntable/time-machine';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { record, recordingIn } from '../replay/record-and-replay.ts';
import { openReplayDriver } from './replay-drivers.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'turntable-permissions-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
const isNetForbidden = process.allowedNodeEnvironmentFlags.has('--allow-net');

beforeAll(() => {
  mkdirSync(join(scratch, 'cache'));
  record(join(scratch, 'selling'), [join(PROGRAMS, 'selling.ts')]);
});

async function opened(cache: string | undefined): Promise<{ driver: ReplayDriver; orders: number[] }> {
  const directory = recordingIn(join(scratch, 'selling'));
  const { driver, runIndex } = await openReplayDriver({
    recording: openRecording(directory),
    directory,
    from: undefined,
    sandbox: cache === undefined ? undefined : { codeCache: cache },
  });
  onTestFinished(() => driver.close());
  const all = Array.from({ length: runIndex.count }, (_, i) => runIndex.task(i + 1));
  const orders = [0, 1, 2].flatMap((worker) => {
    const found = all.find((each) => each.worker === worker && each.statementLists > 1);
    return found === undefined ? [] : [found.order];
  });
  return { driver, orders };
}

/** Node's own process object, whatever the program sees in its place. */
const NATIVE = `(0, eval)("process")`;
const at = (order: number): Position => ({ order, list: 1, statement: 1 });

async function actual(driver: ReplayDriver, text: string): Promise<string> {
  const { value, error } = await driver.evaluate(text);
  return value?.preview ?? `threw ${error}`;
}

test('replay processes may not write files or start processes on any thread', async () => {
  const { driver, orders } = await opened(join(scratch, 'cache'));
  expect(orders.length).toBe(3);
  for (const order of orders) {
    await driver.seek(at(order));
    for (const scope of ['fs.write', 'child', ...(isNetForbidden ? ['net'] : [])])
      expect(await actual(driver, `${NATIVE}.permission.has(${JSON.stringify(scope)})`), `${scope} at ${order}`).toBe(
        'false',
      );
  }
});

test('an expression cannot write files or start processes', async () => {
  const { driver, orders } = await opened(join(scratch, 'cache'));
  const file = join(scratch, 'written');
  expect(orders.length).toBe(3);
  for (const order of orders) {
    await driver.seek(at(order));
    for (const text of [
      `${NATIVE}.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(file)}, '')`,
      `${NATIVE}.getBuiltinModule('node:child_process').spawnSync('touch', [${JSON.stringify(file)}]).error.code`,
    ])
      expect(await actual(driver, text)).toMatch(/ERR_ACCESS_DENIED|restricted|cannot|not/);
    expect(existsSync(file)).toBe(false);
  }
});
