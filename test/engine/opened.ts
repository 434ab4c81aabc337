// Engines of recordings that a test has made, closed when it is over; and that a run has come out as recorded in the end.
import { openRecording } from '@turntable/recording';
import type { Position, RecordedEngine, Survey } from '@turntable/time-machine';
import { expect, onTestFinished } from 'vitest';
import type { Ran } from '../../packages/replayer/src/replay/run-again.ts';
import { recordingIn } from '../replay/again.ts';
import { engineOf, type EngineWanted } from './engines.ts';

export interface Opened {
  readonly engine: RecordedEngine;
  readonly survey: Survey;
  readonly rans: Ran[];
}

/** Of the last recording in a directory. */
export async function openedIn(place: string, more: Partial<EngineWanted> = {}): Promise<Opened> {
  const directory = recordingIn(place);
  const rans: Ran[] = [];
  const wanted = { recording: openRecording(directory), directory, from: undefined, ...more };
  const { engine, survey } = await engineOf({ ...wanted, ran: (ran) => rans.push(ran) });
  onTestFinished(() => engine.close());
  return { engine, survey, rans };
}

/** The run goes on to its end, and all of it was as recorded. */
export async function expectSame({ engine, rans }: Opened): Promise<void> {
  await engine.finish();
  const { outcome, stderr } = rans.at(-1) as Ran;
  const stops = outcome?.workers.map(({ stop }) => stop);
  expect({ stderr, stops }).toEqual({ stderr: '', stops: stops?.map(() => 'ended') });
  expect(outcome?.cuts.filter(({ isSame }) => !isSame)).toEqual([]);
}

export const before = (order: number): Position => ({ order, list: 0, statement: 0 });
