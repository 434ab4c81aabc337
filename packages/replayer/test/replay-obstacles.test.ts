// Tests the reasons why a recording cannot be replayed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeProcess, openRecording, startWriter, type Recording } from '@turntable/recording';
import { afterAll, describe, expect, it } from 'vitest';
import { findReplayObstacles } from '../src/replay/replay-obstacles.ts';

const testRoot = mkdtempSync(join(tmpdir(), 'turntable-replayable-'));
afterAll(() => rmSync(testRoot, { recursive: true, force: true }));

/** Recording without any content, of a process that has ended or was killed. */
async function makeRecording(entry: string | null, isEnded: boolean): Promise<Recording> {
  const writer = startWriter({ recordings: mkdtempSync(join(testRoot, 'all-')) });
  const recording = writer.create(describeProcess({ turntable: '1.2.3', workers: 0, entry }));
  recording.trace(0, 0);
  recording.update({});
  const { directory } = recording;
  // A snapshot is complete when the manifest is written. A closed recording has ended.
  await recording.commitSnapshot(1, {}, 0);
  const openedBefore = isEnded ? undefined : openRecording(directory);
  await writer.close();
  return openedBefore ?? openRecording(directory);
}

describe('a recording without the name of its program', () => {
  const WHY = 'it does not name its program';
  const mustOf = async (...args: Parameters<typeof makeRecording>): Promise<readonly string[]> =>
    findReplayObstacles(await makeRecording(...args), { code: 'recorded', from: undefined }).blocking;

  it('reports why it cannot be replayed and how its process may have ended', async () => {
    expect(await mustOf(null, true)).toContain(WHY);
    expect(await mustOf(null, false)).toContain(
      `${WHY}: its process was killed before it wrote the name, or has only just started`,
    );
    expect((await mustOf('file:///app.mjs', false)).filter((each) => each.startsWith(WHY))).toEqual([]);
  });
});
