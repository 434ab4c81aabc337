// States that a survey has written between a recording's snapshots.
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
import { SurveyCache } from '@turntable/time-machine';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { record, recordingIn } from '../replay/again.ts';
import { expectSameBehindStates, firstOf, opened, surveyed } from './behind-states.ts';
import { before, expectSame } from './opened.ts';
import { randomPrograms, writtenTo } from './random-program.ts';

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
        (directory: string) => ['work=5ms', writtenTo(directory, program), '6'],
      ]),
  ),
};

describe.for(Object.entries(PROGRAMS))('a recording %s', ([name, runOf]) => {
  const into = join(room, name);

  beforeAll(() => {
    record(into, ['--snapshots', ...runOf(join(room, `${name}, the program`))]);
    // So that all is begun with by states of the survey's, and none of them may be missing for a snapshot.
    rmSync(join(recordingIn(into), 'snapshots'), { recursive: true });
  });

  test('is in the same state behind one as from the start, and goes on as recorded', async () => {
    await expectSameBehindStates(await surveyed(into));
  });

  test('is opened the next time with the states that were kept', async () => {
    const { states } = await surveyed(into);
    const again = await surveyed(into);
    expect(again.states?.phases()).toEqual(states?.phases());
    for (const phase of again.states?.phases() ?? []) expect(again.states?.isWhole(phase)).toBe(true);
  });
});

describe('states that were kept', () => {
  const into = join(room, 'kept');
  beforeAll(() => {
    record(into, ['--snapshots', 'work=5ms', join(HERE, 'busy.ts')]);
    rmSync(join(recordingIn(into), 'snapshots'), { recursive: true });
  });

  test('and are damaged, cut off or gone since are passed over', async () => {
    const its = await surveyed(into, true);
    const { states, survey } = its;
    const phases = states?.phases() ?? [];
    const [first = 0] = phases;
    const last = phases.at(-1) ?? 0;
    const order = firstOf(survey, last);
    const straight = opened(its, { states: undefined });
    await straight.engine.to(before(order));
    const digests = await straight.engine.digests();
    await expectSame(straight);
    const whole = straight.rans.at(-1)?.outcome?.workers[0]?.events ?? 0;
    // All but the first, each in another way.
    for (const [i, phase] of phases.slice(1).entries()) {
      using state = states?.readSnapshot(phase);
      const file = state?.file ?? '';
      if (i % 3 === 0) rmSync(file);
      else if (i % 3 === 1) truncateSync(file, Math.floor(statSync(file).size / 2));
      else flip(file);
    }
    const again = await surveyed(into);
    expect(again.states?.phases()).toContain(first);
    const from = opened(again);
    await from.engine.to(before(order));
    await expectSame(from);
    // This one begins anew, with the first.
    await from.engine.to(before(order));
    expect(await from.engine.digests()).toEqual(digests);
    await expectSame(from);
    expect(from.rans.at(-1)?.outcome?.workers[0]?.events).toBeLessThan(whole);
  });

  test('and go while somebody is there are done without', async () => {
    const its = await surveyed(into, true);
    const { states, survey } = its;
    const places = (states?.phases() ?? []).map((phase) => firstOf(survey, phase));
    const [first, last] = [places[1] as number, places.at(-1) as number];
    const from = opened(its);
    await from.engine.to(before(last));
    const digests = await from.engine.digests();
    await expectSame(from);
    rmSync(states?.directory ?? '', { recursive: true });
    await from.engine.to(before(first));
    await from.engine.to(before(last));
    expect(await from.engine.digests()).toEqual(digests);
    await expectSame(from);
  });

  test('go with the surveys that they were kept with, and are kept of the last few', async () => {
    const keys = Array.from({ length: 6 }, (_, i) => `${i}`.repeat(4));
    const place = join(room, 'surveys');
    const cache = new SurveyCache(place);
    const { survey } = await surveyed(into);
    for (const [i, key] of keys.entries()) {
      const made = join(cache.roomForStates(key) ?? '', 'made');
      mkdirSync(made);
      cache.put(key, survey, 'same');
      // One is as old as another where they are made in one moment.
      utimesSync(join(place, `${key}.survey`), i + 1, i + 1);
      cache.putStates(key, made);
    }
    expect(readdirSync(place).filter((name) => name.endsWith('.states'))).toEqual(
      keys.slice(2).map((key) => `${key}.states`),
    );
    expect(readdirSync(place).filter((name) => name.endsWith('.survey')).length).toBe(6);
  });

  test('are none where nothing is kept', async () => {
    vi.stubEnv('TURNTABLE_CACHE', 'off');
    const { states, verdict } = await surveyed(into);
    vi.unstubAllEnvs();
    expect({ states, verdict }).toEqual({ states: undefined, verdict: 'same' });
  });
});

function flip(file: string): void {
  const bytes = readFileSync(file);
  const at = Math.floor(bytes.length / 2);
  bytes[at] = (bytes[at] ?? 0) ^ 0x55;
  writeFileSync(file, bytes);
}
