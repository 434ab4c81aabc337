// A service that is killed at any moment leaves a recording that opens and replays, up to a moment before the kill, can be
// entered by every kind of move, and be restored.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { inSoak } from '../../scripts/test-run/soak.ts';
import { killService, lostRequests, type KillOptions } from './kills.ts';
import { createScratchDirectory } from './processes.ts';
import { checkRecording } from './recording-check.ts';

const scratch = createScratchDirectory();
const COUNT = inSoak(3, 40);
/** Number of these kills after which the recording is also entered and restored. */
const ENTERED = inSoak(1, 40);

/** Kills services at seeded moments, each in its own directory of recordings. */
async function expectReplays(
  since: KillOptions['since'],
  maxDelayMs: number,
  durability: 'none' | 'reply' = 'none',
): Promise<void> {
  let seed = 1;
  for (let index = 0; index < COUNT; index++) {
    seed = (seed * 48_271) % 2_147_483_647;
    const killAfterMs = (seed / 2_147_483_647) * maxDelayMs;
    const recordings = join(scratch, `${since}-${durability}-${index}`);
    const env = { TURNTABLE_DURABILITY: durability, TURNTABLE_SNAPSHOTS: 'every=100ms' };
    const killed = await killService({ recordings, killAfterMs, since, env });
    const { recording, acknowledged } = killed;
    const { problems, output } = await checkRecording(recording, { isEntered: index < ENTERED });
    expect(problems, recording).toEqual([]);
    const lost = lostRequests(killed, output);
    // Only the last requests may be lost: all that were answered before a recorded one are recorded.
    expect(lost).toEqual(durability === 'none' ? acknowledged.slice(acknowledged.length - lost.length) : []);
  }
}

describe('a killed service leaves a recording that replays', { timeout: inSoak(180_000, 3_600_000) }, () => {
  test('from its first statement on', () => expectReplays('first-statement', 300));
  test('while it answers requests', () => expectReplays('first-answer', 500));
  test('with all acknowledged requests, if responses wait', () => expectReplays('first-answer', 500, 'reply'));
});
