// Code that a replay process has transformed is cached for later processes, even if the process is paused and then
// killed.
import './own-process.ts';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { replaySandbox } from '@turntable/replayer/replay';
import type { RunIndex } from '@turntable/time-machine';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { record, recordingIn } from '../replay/record-and-replay.ts';
import { createReplayDriver, buildRunIndex } from './replay-drivers.ts';

vi.setConfig({ testTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-kept-code-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function keptIn(cache: string): string[] {
  return readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ttc'));
}

async function indexOfSteps(): Promise<Awaited<ReturnType<typeof buildRunIndex>>> {
  const recordings = mkdtempSync(join(scratch, 'recordings-'));
  record(recordings, [fileURLToPath(new URL('programs/steps.mjs', import.meta.url))]);
  return buildRunIndex(recordingIn(recordings), { phase: undefined, isForced: false, isFresh: false, debug: true });
}

async function expectKept(
  cache: string,
  { runIndex, ...deps }: Parameters<typeof createReplayDriver>[1] & { runIndex: RunIndex },
): Promise<void> {
  expect(keptIn(cache)).toEqual([]);
  const driver = createReplayDriver(runIndex, deps);
  try {
    await driver.seek({ order: 1, list: 2, statement: 1 });
    await vi.waitFor(() => expect(keptIn(cache)).not.toEqual([]), { timeout: 30_000 });
  } finally {
    await driver.close();
  }
}

test('a paused, idle thread of a trusted replay writes the code of its program to the cache', async () => {
  const indexed = await indexOfSteps();
  const cache = mkdtempSync(join(scratch, 'cache-'));
  vi.stubEnv('TURNTABLE_CACHE', cache);
  onTestFinished(() => void vi.unstubAllEnvs());
  await expectKept(cache, indexed);
});

test('the transform service writes the code of a replay in the sandbox to the cache', async () => {
  const indexed = await indexOfSteps();
  const cache = mkdtempSync(join(scratch, 'cache-'));
  const sandbox = replaySandbox(indexed.directory, { isTrusted: false, requiresIsolation: false });
  await expectKept(cache, { ...indexed, sandbox: { ...sandbox, codeCache: cache } as typeof sandbox });
});
