// Tests the reasons why a recording cannot be replayed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeProcess, openRecording, startWriter, type Recording } from '@turntable/recording';
import { afterAll, describe, expect, it } from 'vitest';
import { findReplayObstacles } from '../src/replay/replay-obstacles.ts';

const testRoot = mkdtempSync(join(tmpdir(), 'turntable-replayable-'));
afterAll(() => rmSync(testRoot, { recursive: true, force: true }));

interface RecordingOptions {
  readonly entry: string | null;
  /** Whether the process has ended. Otherwise it was killed. */
  readonly isEnded: boolean;
  readonly hasTraces?: boolean;
}

/** Recording without any content. */
async function makeRecording({ entry, isEnded, hasTraces = true }: RecordingOptions): Promise<Recording> {
  const writer = startWriter({ recordings: mkdtempSync(join(testRoot, 'all-')) });
  const recording = writer.create(describeProcess({ turntable: '1.2.3', workers: 0, entry }));
  if (hasTraces) recording.trace(0, 0);
  recording.update({});
  const { directory } = recording;
  // A snapshot is complete when the manifest is written. A closed recording has ended.
  await recording.commitSnapshot(1, {}, 0);
  const openedBefore = isEnded ? undefined : openRecording(directory);
  await writer.close();
  return openedBefore ?? openRecording(directory);
}

describe('a recording that does not know its program', () => {
  const WHY = 'it does not name its program';
  const KILLED = `${WHY}: its process was killed before the name was written, or has just started`;
  const NO_TRACES = 'it has no traces: record the program with turntable record, or with the setting trace';
  const obstaclesOf = async (options: RecordingOptions): Promise<readonly string[]> =>
    findReplayObstacles(await makeRecording(options), { code: 'recorded', from: undefined }).blocking;

  it('reports why it cannot be replayed and how its process may have ended', async () => {
    expect(await obstaclesOf({ entry: null, isEnded: true })).toEqual([WHY]);
    expect(await obstaclesOf({ entry: null, isEnded: false })).toEqual([KILLED]);
    expect(await obstaclesOf({ entry: 'file:///app.mjs', isEnded: false })).toEqual([]);
  });

  it('reports missing traces, except where its process was killed before it could record any', async () => {
    expect(await obstaclesOf({ entry: null, isEnded: true, hasTraces: false })).toEqual([NO_TRACES, WHY]);
    expect(await obstaclesOf({ entry: null, isEnded: false, hasTraces: false })).toEqual([KILLED]);
    expect(await obstaclesOf({ entry: 'file:///app.mjs', isEnded: false, hasTraces: false })).toEqual([NO_TRACES]);
  });
});
