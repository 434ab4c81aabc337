// What is expected of the states that a survey has written between a recording's snapshots: who begins with one is where anybody is who has come from the start, and goes on as recorded.
import type { Survey } from '@turntable/time-machine';
import { expect, onTestFinished } from 'vitest';
import type { Ran } from '../../packages/replayer/src/replay/run-again.ts';
import type { Surveyed, SurveyedRecording } from '../../packages/replayer/src/replay/surveyed.ts';
import { recordingIn, someOf } from '../replay/again.ts';
import { engineOn, surveyOf, type EngineWanted } from './engines.ts';
import { before, expectSame, type Opened } from './opened.ts';

export type Its = Surveyed & SurveyedRecording;

/** Of the last recording in a directory: all cuts have a state, but where the recording has a snapshot. */
export function surveyed(into: string, isAnew = false): Promise<Its> {
  const wish = { phase: undefined, isForced: false, isAnew, debug: true, spacing: 0 };
  return surveyOf(recordingIn(into), wish);
}

export function opened(its: Its, more: Partial<EngineWanted> = {}): Opened {
  const rans: Ran[] = [];
  const engine = engineOn(its.survey, { ...its, ...more, ran: (ran) => rans.push(ran) });
  onTestFinished(() => engine.close());
  return { engine, survey: its.survey, rans };
}

/** The first stretch of a phase, or of one behind it. */
export function firstOf(survey: Survey, phase: number): number {
  for (let order = 1; order <= survey.count; order++) if (survey.stretch(order).phase >= phase) return order;
  return survey.count + 1;
}

/** Behind some of them. */
export async function expectSameBehindStates(its: Its): Promise<void> {
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
    // The first process has gone there from the start, if that is not far.
    if (i > 0) expect(from.rans.at(-1)?.outcome?.workers[0]?.events, `stretch ${order}`).toBeLessThan(whole);
  }
}
