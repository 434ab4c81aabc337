// The processes of a debug session run in the sandbox, and expressions reach nothing of the machine on any thread.
import './own-process.ts';
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openRecording } from '@turntable/recording';
import { isolation, replaySandbox } from '@turntable/replayer/replay';
import type { Position, ReplayDriver } from '@turntable/time-machine';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { record, recordingIn } from '../replay/record-and-replay.ts';
import { openReplayDriver } from './replay-drivers.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const PROGRAMS = fileURLToPath(new URL('programs/', import.meta.url));
const scratch = mkdtempSync(join(tmpdir(), 'turntable-sandboxed-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

beforeAll(() => record(join(scratch, 'selling'), [join(PROGRAMS, 'selling.ts')]));

async function opened(): Promise<{ driver: ReplayDriver; orders: number[] }> {
  const directory = recordingIn(join(scratch, 'selling'));
  const { driver, runIndex } = await openReplayDriver({
    recording: openRecording(directory),
    directory,
    from: undefined,
    sandbox: replaySandbox(directory, { isTrusted: false, requiresIsolation: false }),
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

/** Processes that this one has started, and theirs, that run Node. */
function nodeProcesses(pid: number | 'self' = 'self'): string[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  );
  return children.flatMap((child) => {
    const isNode = readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0', 1)[0] === process.execPath;
    return [...(isNode ? [child] : []), ...nodeProcesses(Number(child))];
  });
}

test.runIf(isolation().level === 'isolated')('all processes of a debug session are isolated', async () => {
  const { driver, orders } = await opened();
  await driver.seek(at(orders[0] as number));
  const started = nodeProcesses();
  expect(started.length).toBeGreaterThan(0);
  for (const namespace of ['net', 'pid', 'mnt', 'user', 'ipc']) {
    const own = readlinkSync(`/proc/self/ns/${namespace}`);
    for (const pid of started) expect(readlinkSync(`/proc/${pid}/ns/${namespace}`), namespace).not.toBe(own);
  }
});

test('an expression cannot write files or start processes', async () => {
  const { driver, orders } = await opened();
  const file = join(scratch, 'written');
  expect(orders.length).toBe(3);
  for (const order of orders) {
    await driver.seek(at(order));
    for (const text of [
      `${NATIVE}.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(file)}, '')`,
      `${NATIVE}.getBuiltinModule('node:child_process').spawnSync('touch', [${JSON.stringify(file)}]).error.code`,
    ])
      expect(await actual(driver, text)).toMatch(
        /^threw RuntimeError: .* is unavailable to evaluated code in a replay/,
      );
    expect(existsSync(file)).toBe(false);
  }
});
