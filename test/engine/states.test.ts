// States that a run index has written between a recording's snapshots.
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

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const room = mkdtempSync(join(tmpdir(), 'turntable-states-'));
const HERE = fileURLToPath(new URL('programs/', import.meta.url));
afterAll(() => rmSync(room, { recursive: true, force: true }));

const { ORACLE_SEED = '20261124', ORACLE_RUNS = '1' } = process.env;
const seed = ORACLE_SEED === 'random' ? Date.now() & 0x7fff_ffff : Number(ORACLE_SEED);

/** How each is run, made in a directory. What computes little is done several times, so that there are cuts in its midst on any machine. */
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
  const into = join(room, name);

  beforeAll(() => {
    record(into, ['--snapshots', ...runOf(join(room, `${name}, the program`))]);
    // So that all is begun with by states of the run index's, and none of them may be missing for a snapshot.
    rmSync(join(recordingIn(into), 'snapshots'), { recursive: true });
  });

  test('is in the same state behind one as from the start, and goes on as recorded', async () => {
    await expectSameAfterCheckpoints(await indexRecording(into));
  });

  test('is opened the next time with the states that were kept', async () => {
    const { checkpoints } = await indexRecording(into);
    const again = await indexRecording(into);
    expect(again.checkpoints?.phases()).toEqual(checkpoints?.phases());
    for (const phase of again.checkpoints?.phases() ?? []) expect(again.checkpoints?.isIntact(phase)).toBe(true);
  });
});

describe('states that were kept', () => {
  const into = join(room, 'kept');
  beforeAll(() => {
    record(into, ['--snapshots', 'work=5ms', join(HERE, 'busy.ts')]);
    rmSync(join(recordingIn(into), 'snapshots'), { recursive: true });
  });

  test('and are damaged, cut off or gone since are passed over', async () => {
    const indexed = await indexRecording(into, true);
    const { checkpoints, runIndex } = indexed;
    const phases = checkpoints?.phases() ?? [];
    const [first = 0] = phases;
    const last = phases.at(-1) ?? 0;
    const order = firstTaskFrom(runIndex, last);
    const straight = openDriverOn(indexed, { checkpoints: undefined });
    await straight.driver.seek(taskStart(order));
    const digests = await straight.driver.digests();
    await expectSame(straight);
    const whole = straight.runs.at(-1)?.outcome?.workers[0]?.events ?? 0;
    // All but the first, each in another way.
    for (const [i, phase] of phases.slice(1).entries()) {
      using state = checkpoints?.readSnapshot(phase);
      const file = state?.file ?? '';
      if (i % 3 === 0) rmSync(file);
      else if (i % 3 === 1) truncateSync(file, Math.floor(statSync(file).size / 2));
      else flip(file);
    }
    const again = await indexRecording(into);
    expect(again.checkpoints?.phases()).toContain(first);
    const from = openDriverOn(again);
    await from.driver.seek(taskStart(order));
    await expectSame(from);
    // This one begins anew, with the first.
    await from.driver.seek(taskStart(order));
    expect(await from.driver.digests()).toEqual(digests);
    await expectSame(from);
    expect(from.runs.at(-1)?.outcome?.workers[0]?.events).toBeLessThan(whole);
  });

  test('and go while somebody is there are done without', async () => {
    const indexed = await indexRecording(into, true);
    const { checkpoints, runIndex } = indexed;
    const places = (checkpoints?.phases() ?? []).map((phase) => firstTaskFrom(runIndex, phase));
    const [first, last] = [places[1] as number, places.at(-1) as number];
    const from = openDriverOn(indexed);
    await from.driver.seek(taskStart(last));
    const digests = await from.driver.digests();
    await expectSame(from);
    rmSync(checkpoints?.directory ?? '', { recursive: true });
    await from.driver.seek(taskStart(first));
    await from.driver.seek(taskStart(last));
    expect(await from.driver.digests()).toEqual(digests);
    await expectSame(from);
  });

  test('go with the run indexes that they were kept with, and are kept of the last few', async () => {
    const keys = Array.from({ length: 6 }, (_, i) => `${i}`.repeat(4));
    const place = join(room, 'run-indexes');
    const cache = new RunIndexCache(place);
    const { runIndex } = await indexRecording(into);
    for (const [i, key] of keys.entries()) {
      const made = join(cache.createCheckpointRoom(key) ?? '', 'made');
      mkdirSync(made);
      cache.put(key, runIndex, 'same');
      // One is as old as another where they are made in one moment.
      utimesSync(join(place, `${key}.run-index`), i + 1, i + 1);
      cache.putCheckpoints(key, made);
    }
    expect(readdirSync(place).filter((name) => name.endsWith('.checkpoints'))).toEqual(
      keys.slice(2).map((key) => `${key}.checkpoints`),
    );
    expect(readdirSync(place).filter((name) => name.endsWith('.run-index')).length).toBe(6);
  });

  test('are none where nothing is kept', async () => {
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
