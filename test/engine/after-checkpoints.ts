// Expectations on the checkpoints that a run index writes between a recording's snapshots: a replay that starts from
// one reaches the same states as a replay from the start, and continues as recorded.
import type { RunIndex } from '@turntable/time-machine';
import { expect, onTestFinished } from 'vitest';
import type { ReplayRun } from '../../packages/replayer/src/replay/replay-run.ts';
import type { IndexedRun, RunIndexSource } from '../../packages/replayer/src/replay/run-index-builder.ts';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { recordingIn, sample } from '../replay/record-and-replay.ts';
import { createReplayDriver, buildRunIndex, type ReplayDriverOptions } from './replay-drivers.ts';
import { taskStart, expectSame, type OpenedDriver } from './opened-driver.ts';

export type IndexedRecording = IndexedRun & RunIndexSource;

/**
 * Indexes the last recording of a directory. Every cut gets a checkpoint, unless the recording has a snapshot there.
 */
export function indexRecording(recordings: string, isFresh = false): Promise<IndexedRecording> {
  const indexOptions = { phase: undefined, isForced: false, isFresh, debug: true, spacing: 0 };
  return buildRunIndex(recordingIn(recordings), indexOptions);
}

export function openDriverOn(indexed: IndexedRecording, overrides: Partial<ReplayDriverOptions> = {}): OpenedDriver {
  const runs: ReplayRun[] = [];
  const driver = createReplayDriver(indexed.runIndex, { ...indexed, ...overrides, onExit: (ran) => runs.push(ran) });
  onTestFinished(() => driver.close());
  return { driver, runIndex: indexed.runIndex, runs };
}

/** The first task of a phase, or of the next phase that has tasks. */
export function firstTaskFrom(runIndex: RunIndex, phase: number): number {
  for (let order = 1; order <= runIndex.count; order++) if (runIndex.task(order).phase >= phase) return order;
  return runIndex.count + 1;
}

/** Expects the same states at a sample of the checkpoints as in a replay from the start. */
export async function expectSameAfterCheckpoints(indexed: IndexedRecording): Promise<void> {
  expect(indexed.verdict).toBe('same');
  const phases = indexed.checkpoints?.phases() ?? [];
  expect(phases.length).toBeGreaterThan(2);
  const orders = sample(phases, inSoak(3, 6)).map((phase) =>
    Math.min(firstTaskFrom(indexed.runIndex, phase) + 1, indexed.runIndex.count),
  );
  const tasks = [...new Set(orders)].toSorted((a, b) => a - b);
  const fromStart = openDriverOn(indexed, { checkpoints: undefined });
  const digests: unknown[] = [];
  for (const order of tasks) {
    await fromStart.driver.seek(taskStart(order));
    digests.push(await fromStart.driver.digests());
  }
  await expectSame(fromStart);
  const eventCount = fromStart.runs.at(-1)?.outcome?.workers[0]?.events ?? 0;
  const fromCheckpoints = openDriverOn(indexed);
  for (const [i, order] of tasks.entries()) {
    await fromCheckpoints.driver.seek(taskStart(order));
    expect(await fromCheckpoints.driver.digests(), `task ${order}`).toEqual(digests[i]);
    // Ends this process, so that the next seek starts a new one.
    await expectSame(fromCheckpoints);
    // For a short distance the first process starts at the beginning of the recording.
    if (i > 0)
      expect(fromCheckpoints.runs.at(-1)?.outcome?.workers[0]?.events, `task ${order}`).toBeLessThan(eventCount);
  }
}
