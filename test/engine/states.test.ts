// States that a survey has written between a recording's snapshots: who begins with one is where anybody is who has come from the start, and goes on as recorded.
import './own-process.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Survey } from '@turntable/replay';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Ran } from '../../packages/turntable/src/replay/run-again.ts';
import type { SurveyedRecording, Surveyed } from '../../packages/turntable/src/replay/surveyed.ts';
import { record, recordingIn, someOf } from '../replay/again.ts';
import { engineOn, surveyOf, type EngineWanted } from './engines.ts';
import { before, expectSame, type Opened } from './opened.ts';
import { randomPrograms, writtenTo } from './random-program.ts';

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });

const room = mkdtempSync(join(tmpdir(), 'turntable-states-'));
const HERE = fileURLToPath(new URL('programs/', import.meta.url));
afterAll(() => rmSync(room, { recursive: true, force: true }));

type Its = Surveyed & SurveyedRecording;

/** All cuts have one, but where the recording has a snapshot. */
function surveyed(into: string, isAnew = false): Promise<Its> {
  const wish = { phase: undefined, isForced: false, isAnew, debug: true, spacing: 0 };
  return surveyOf(recordingIn(into), wish);
}

function opened(its: Its, more: Partial<EngineWanted> = {}): Opened {
  const rans: Ran[] = [];
  const engine = engineOn(its.survey, { ...its, ...more, ran: (ran) => rans.push(ran) });
  onTestFinished(() => engine.close());
  return { engine, survey: its.survey, rans };
}

/** The first stretch of a phase, or of one behind it. */
function firstOf(survey: Survey, phase: number): number {
  for (let order = 1; order <= survey.count; order++) if (survey.stretch(order).phase >= phase) return order;
  return survey.count + 1;
}

const { ORACLE_SEED = '20261124', ORACLE_RUNS = '1' } = process.env;
const seed = ORACLE_SEED === 'random' ? Date.now() & 0x7fff_ffff : Number(ORACLE_SEED);

/** Where it is made, the file of each. */
const PROGRAMS: Record<string, (directory: string) => string> = {
  'of workers that have messages under way': () => join(HERE, 'busy.ts'),
  'of a service with requests that wait': () => join(HERE, 'serving.mjs'),
  ...Object.fromEntries(
    fc
      .sample(randomPrograms, { seed, numRuns: Number(ORACLE_RUNS) })
      .map((program, i) => [`of a random program (${i})`, (directory: string) => writtenTo(directory, program)]),
  ),
};

describe.for(Object.entries(PROGRAMS))('a recording %s', ([name, programIn]) => {
  const into = join(room, name);

  beforeAll(() => {
    record(into, ['--snapshots', 'work=5ms', programIn(join(room, `${name}, the program`))]);
    // So that all is begun with by states of the survey's, and none of them may be missing for a snapshot.
    rmSync(join(recordingIn(into), 'snapshots'), { recursive: true });
  });

  test('is in the same state behind one as from the start, and goes on as recorded', async () => {
    const its = await surveyed(into);
    expect(its.verdict).toBe('same');
    const phases = its.states?.phases() ?? [];
    expect(phases.length).toBeGreaterThan(2);
    const orders = someOf(phases, 6).map((phase) => Math.min(firstOf(its.survey, phase) + 1, its.survey.count));
    const places = [...new Set(orders)].toSorted((a, b) => a - b);
    const straight = opened(its, { states: undefined });
    const digests: unknown[] = [];
    for (const order of places) {
      await straight.engine.to(before(order));
      digests.push(await straight.engine.digests());
    }
    await expectSame(straight);
    const whole = straight.rans.at(-1)?.outcome?.workers[0]?.events ?? 0;
    const from = opened(its);
    for (const [i, order] of places.entries()) {
      await from.engine.to(before(order));
      expect(await from.engine.digests(), `stretch ${order}`).toEqual(digests[i]);
      // So that the next one begins anew.
      await expectSame(from);
      if (order > 2) expect(from.rans.at(-1)?.outcome?.workers[0]?.events, `stretch ${order}`).toBeLessThan(whole);
    }
  });

  test('is opened the next time with the states that were kept', async () => {
    const { states } = await surveyed(into);
    const again = await surveyed(into);
    expect(again.states?.phases()).toEqual(states?.phases());
    for (const phase of again.states?.phases() ?? []) expect(again.states?.isWhole(phase)).toBe(true);
  });
});
