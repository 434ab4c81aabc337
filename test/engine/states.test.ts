// Checkpoints that a run index writes between a recording's snapshots.
import './own-process.ts';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RunIndexCache } from '@turntable/time-machine';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { record, recordingIn } from '../replay/record-and-replay.ts';
import { expectSameAfterCheckpoints, firstTaskFrom, openDriverOn, indexRecording } from './after-checkpoints.ts';
import { taskStart, expectSame } from './opened-driver.ts';
import { randomPrograms, writeProgram } from './random-program.ts';
import { removeSnapshots } from '../recordings/edit-manifest.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const scratch = mkdtempSync(join(tmpdir(), 'turntable-states-'));
const HERE = fileURLToPath(new URL('programs/', import.meta.url));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const { ORACLE_SEED = '20261124', ORACLE_RUNS = '1' } = process.env;
const seed = ORACLE_SEED === 'random' ? Date.now() & 0x7fff_ffff : Number(ORACLE_SEED);

/**
 * Arguments for each program, which may be written to a directory first. Programs that compute little repeat their
 * work, so that cuts fall within it on any machine.
 */
const PROGRAMS: Record<string, (directory: string) => readonly string[]> = {
  'of workers that have messages under way': () => ['work=5ms', join(HERE, 'busy.ts')],
  'of a service with requests that wait': () => ['work=1ms', join(HERE, 'serving-often.mjs'), '6'],
  ...Object.fromEntries(
    fc
      .sample(randomPrograms, { seed, numRuns: Number(ORACLE_RUNS) })
      .map((program, i) => [
        `of a random program (${i})`,
        (directory: string) => ['work=5ms', writeProgram(directory, program), '6'],
      ]),
  ),
};

describe.for(Object.entries(PROGRAMS))('a recording %s', ([name, runOf]) => {
  const into = join(scratch, name);

  beforeAll(() => {
    record(into, ['--snapshots', ...runOf(join(scratch, `${name}, the program`))]);
    // Without snapshots, every replay starts from a checkpoint, and none is left out because of a snapshot.
    removeSnapshots(recordingIn(into));
  });

  test('has the same states after a checkpoint as from the start, and continues as recorded', async () => {
    await expectSameAfterCheckpoints(await indexRecording(into));
  });

  test('is opened again with its stored checkpoints', async () => {
    const { checkpoints } = await indexRecording(into);
    const again = await indexRecording(into);
    expect(again.checkpoints?.phases()).toEqual(checkpoints?.phases());
    for (const phase of again.checkpoints?.phases() ?? []) expect(again.checkpoints?.isIntact(phase)).toBe(true);
  });
});

describe('stored checkpoints', () => {
  const into = join(scratch, 'kept');
  beforeAll(() => {
    record(into, ['--snapshots', 'work=5ms', join(HERE, 'busy.ts')]);
    removeSnapshots(recordingIn(into));
  });

  test('are skipped when they are damaged, truncated or missing', async () => {
    const indexed = await indexRecording(into, true);
    const { checkpoints, runIndex } = indexed;
    const phases = checkpoints?.phases() ?? [];
    const [first = 0] = phases;
    const last = phases.at(-1) ?? 0;
    const order = firstTaskFrom(runIndex, last);
    const fromStart = openDriverOn(indexed, { checkpoints: undefined });
    await fromStart.driver.seek(taskStart(order));
    const digests = await fromStart.driver.digests();
    await expectSame(fromStart);
    const whole = fromStart.runs.at(-1)?.outcome?.workers[0]?.events ?? 0;
    // All but the first, each in a different way.
    for (const [i, phase] of phases.slice(1).entries()) {
      using state = checkpoints?.readSnapshot(phase);
      const file = state?.file ?? '';
      if (i % 3 === 0) rmSync(file);
      else if (i % 3 === 1) truncateSync(file, Math.floor(statSync(file).size / 2));
      else flip(file);
    }
    const again = await indexRecording(into);
    expect(again.checkpoints?.phases()).toContain(first);
    const fromCheckpoints = openDriverOn(again);
    await fromCheckpoints.driver.seek(taskStart(order));
    await expectSame(fromCheckpoints);
    // A new process, from the first checkpoint.
    await fromCheckpoints.driver.seek(taskStart(order));
    expect(await fromCheckpoints.driver.digests()).toEqual(digests);
    await expectSame(fromCheckpoints);
    expect(fromCheckpoints.runs.at(-1)?.outcome?.workers[0]?.events).toBeLessThan(whole);
  });

  test('may disappear during a session', async () => {
    const indexed = await indexRecording(into, true);
    const { checkpoints, runIndex } = indexed;
    const tasks = (checkpoints?.phases() ?? []).map((phase) => firstTaskFrom(runIndex, phase));
    const [first, last] = [tasks[1] as number, tasks.at(-1) as number];
    const fromCheckpoints = openDriverOn(indexed);
    await fromCheckpoints.driver.seek(taskStart(last));
    const digests = await fromCheckpoints.driver.digests();
    await expectSame(fromCheckpoints);
    rmSync(checkpoints?.directory ?? '', { recursive: true });
    await fromCheckpoints.driver.seek(taskStart(first));
    await fromCheckpoints.driver.seek(taskStart(last));
    expect(await fromCheckpoints.driver.digests()).toEqual(digests);
    await expectSame(fromCheckpoints);
  });

  test('are deleted with their run index and kept for the last few only', async () => {
    const keys = Array.from({ length: 6 }, (_, i) => `${i}`.repeat(4));
    const place = join(scratch, 'run-indexes');
    const cache = new RunIndexCache(place);
    const { runIndex } = await indexRecording(into);
    for (const [i, key] of keys.entries()) {
      const made = join(cache.createCheckpointRoom(key) ?? '', 'made');
      mkdirSync(made);
      cache.put(key, runIndex, 'same');
      // Explicit times: files made at the same moment would be equally old.
      utimesSync(join(place, `${key}.run-index`), i + 1, i + 1);
      cache.putCheckpoints(key, made);
    }
    expect(readdirSync(place).filter((name) => name.endsWith('.checkpoints'))).toEqual(
      keys.slice(2).map((key) => `${key}.checkpoints`),
    );
    expect(readdirSync(place).filter((name) => name.endsWith('.run-index')).length).toBe(6);
  });

  test('are not written when the cache is off', async () => {
    vi.stubEnv('TURNTABLE_CACHE', 'off');
    const { checkpoints, verdict } = await indexRecording(into);
    vi.unstubAllEnvs();
    expect({ checkpoints, verdict }).toEqual({ checkpoints: undefined, verdict: 'same' });
  });
});

function flip(file: string): void {
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 0x55;
  writeFileSync(file, bytes);
}
