// Replay drivers on recordings that a test has made, closed when the test ends; and the check that a run ended as
// recorded.
import { openRecording } from '@turntable/recording';
import type { Position, ReplayDriver, RunIndex, StatementTrace } from '@turntable/time-machine';
import { expect, onTestFinished } from 'vitest';
import type { ReplayRun } from '../../packages/replayer/src/replay/replay-run.ts';
import { recordingIn } from '../replay/record-and-replay.ts';
import { openReplayDriver, type ReplayDriverOptions } from './replay-drivers.ts';

export interface OpenedDriver {
  readonly driver: ReplayDriver;
  readonly runIndex: RunIndex;
  readonly runs: ReplayRun[];
}

/** Opens the last recording of a directory. */
export async function openDriver(
  recordings: string,
  overrides: Partial<ReplayDriverOptions> = {},
): Promise<OpenedDriver> {
  const directory = recordingIn(recordings);
  const runs: ReplayRun[] = [];
  const options = { recording: openRecording(directory), directory, from: undefined, ...overrides };
  const { driver, runIndex } = await openReplayDriver({ ...options, onExit: (ran) => runs.push(ran) });
  onTestFinished(() => driver.close());
  return { driver, runIndex, runs };
}

/** Runs the replay to its end and expects all of it to be as recorded. */
export async function expectSame({ driver, runs }: OpenedDriver): Promise<void> {
  await driver.finish();
  const { outcome, stderr } = runs.at(-1) as ReplayRun;
  const stops = outcome?.workers.map(({ stopReason }) => stopReason);
  expect({ stderr, stops }).toEqual({ stderr: '', stops: stops?.map(() => 'ended') });
  expect(outcome?.cuts.filter(({ isSame }) => !isSame)).toEqual([]);
}

export const taskStart = (order: number): Position => ({ order, list: 0, statement: 0 });

/** The positions of all statements of a task, in order. */
export function positionsIn(trace: StatementTrace): Position[] {
  return Array.from({ length: trace.count }, (_, index) => trace.position(index));
}
