// Code that a replay process has transformed is cached for later processes, even if the process is paused and then
// killed.
import './own-process.ts';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test, vi } from 'vitest';
import { record, recordingIn } from '../replay/record-and-replay.ts';
import { createReplayDriver, buildRunIndex } from './replay-drivers.ts';

vi.setConfig({ testTimeout: 120_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-kept-code-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function keptIn(cache: string): string[] {
  return readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ttc'));
}

test('a paused, idle thread writes the code of its program to the cache', async () => {
  record(join(scratch, 'recordings'), [fileURLToPath(new URL('programs/steps.mjs', import.meta.url))]);
  const cache = join(scratch, 'cache');
  mkdirSync(cache);
  const indexed = await buildRunIndex(recordingIn(join(scratch, 'recordings')), {
    phase: undefined,
    isForced: false,
    isFresh: false,
    debug: true,
  });
  expect(keptIn(cache)).toEqual([]);
  const driver = createReplayDriver(indexed.runIndex, { ...indexed, sandbox: { codeCache: cache } });
  try {
    await driver.seek({ order: 1, list: 2, statement: 1 });
    await vi.waitFor(() => expect(keptIn(cache)).not.toEqual([]), { timeout: 30_000 });
  } finally {
    await driver.close();
  }
});
